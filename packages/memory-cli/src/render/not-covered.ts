import type { NotCovered } from "@demystify/memory";

const MEANINGS: Readonly<Record<NotCovered, string>> = {
  backups: "backups made before it still hold the rows until they expire",
  wal_archive: "archived write-ahead log still holds the rows as they were written",
  replicas: "a replica holds the rows until it has replayed the deletion",
  logical_sinks: "subscribers of logical replication and change feeds keep what they received",
  server_logs: "a server that logs statements or parameters may have logged the text when it was written",
  dead_tuples: "the bytes stay in the data files until VACUUM and later writes replace them",
  unrecorded_copies: "a copy that nobody recorded, such as a screenshot or a printout, is not known to the database",
};

/** The meaning of a code, as a clause. */
export function meaningOf(code: NotCovered): string {
  return MEANINGS[code];
}

/** In plain words, what a receipt's code says was not reached. */
export function describeNotCovered(code: NotCovered): string {
  return `${code}: ${MEANINGS[code]}`;
}

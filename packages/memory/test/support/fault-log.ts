import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { findBinaries } from "./postgres-binaries.js";

/** What `aCanary()` puts into what is to be erased. */
const CANARY = /canary[a-z]{16}/;

/** Where `log_line_prefix` puts the role: between two marks that occur nowhere else. */
const PREFIX = /^<([^<>]*)> ([A-Z]+):/;

/** A server that logs all it can without being told to log parameters. */
export const TALKATIVE: Readonly<Record<string, string>> = {
  log_statement: "all",
  log_min_duration_statement: "0",
  log_duration: "on",
  log_lock_waits: "on",
  deadlock_timeout: "50ms",
  log_error_verbosity: "default",
  log_parameter_max_length: "0",
  log_parameter_max_length_on_error: "0",
  log_line_prefix: "<%u> ",
};

/** The settings that collect statements' texts, or `undefined` where this server does not come with the extension. */
export function statementStatistics(): Readonly<Record<string, string>> | undefined {
  const lib = join(dirname(findBinaries()), "lib");
  const there = [lib, join(lib, "postgresql")].some((folder) => existsSync(join(folder, "pg_stat_statements.so")));
  if (!there) return undefined;
  return { shared_preload_libraries: "pg_stat_statements", "pg_stat_statements.track": "all" };
}

export interface LogEntry {
  readonly role: string;
  /** LOG, ERROR, DETAIL, CONTEXT, STATEMENT, … */
  readonly label: string;
  readonly text: string;
}

/** The entries of a log; a statement of several lines is one. */
export function entriesOf(log: string): readonly LogEntry[] {
  const entries: { role: string; label: string; text: string }[] = [];
  for (const line of log.split("\n")) {
    const [, role, label] = PREFIX.exec(line) ?? [];
    const last = entries.at(-1);
    if (role !== undefined && label !== undefined) entries.push({ role, label, text: line });
    else if (last !== undefined) last.text += `\n${line}`;
  }
  return entries;
}

/** The entries that hold a canary. */
export function entriesWithCanary(log: string): readonly LogEntry[] {
  return entriesOf(log).filter(({ text }) => CANARY.test(text));
}

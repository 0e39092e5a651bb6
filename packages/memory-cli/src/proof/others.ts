import { createHash, type Hash } from "node:crypto";
import type { Queryable } from "../database/database.js";
import { listTables, readTable } from "./read-table.js";

/** How many rows there are, and one hash over every column of them in order of id. */
export interface Fingerprint {
  readonly rows: number;
  readonly sha256: string;
}

/** What everybody else has. */
export interface OthersFingerprint {
  readonly memories: Fingerprint;
  readonly derived: Fingerprint;
}

/**
 * Fingerprints all rows of a tenant but the given ones. Two equal fingerprints mean that not one byte of one column
 * of one of these rows has changed.
 */
export async function fingerprintOthers(
  session: Queryable,
  tenantKey: string,
  except: { readonly memoryIds: ReadonlySet<string>; readonly derivedIds: ReadonlySet<string> },
): Promise<OthersFingerprint> {
  return {
    memories: await fingerprint(session, tenantKey, "memory", "memory_id", except.memoryIds),
    derived: await fingerprint(session, tenantKey, "derived", "derived_id", except.derivedIds),
  };
}

async function fingerprint(
  session: Queryable,
  tenantKey: string,
  name: string,
  idColumn: string,
  except: ReadonlySet<string>,
): Promise<Fingerprint> {
  const table = (await listTables(session)).find((each) => each.name === name);
  if (table === undefined) throw new Error(`the schema has no table ${name}`);
  const id = table.columns.indexOf(idColumn);
  const hash = createHash("sha256");
  let rows = 0;
  for await (const cells of readTable(session, table, tenantKey, idColumn)) {
    if (except.has(cells[id] ?? "")) continue;
    rows += 1;
    for (const cell of cells) addCell(hash, cell);
  }
  return { rows, sha256: hash.digest("hex") };
}

/** The length goes first, so that no two rows can run into each other. */
function addCell(hash: Hash, cell: string | null): void {
  hash.update(cell === null ? "-;" : `${Buffer.byteLength(cell)};${cell}`);
}

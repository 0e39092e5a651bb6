import { subjectHash } from "../../src/index.js";
import type { Sql } from "../support/sql.js";
import { SUBJECT } from "./observe.js";

/** A tombstone with an item for one memory, by plain INSERT. `stamp`: further columns, as SQL. Answers its id. */
export async function insertTombstone(
  sql: Sql,
  given: {
    readonly tenantKey: string;
    readonly memory: string;
    readonly stamp?: Readonly<Record<string, string>>;
  },
): Promise<string> {
  const { tenantKey, memory } = given;
  const stamp = Object.entries({ origin: "'forget'", ...given.stamp });
  const [row] = await sql(
    `insert into demystify_memory.tombstone
       (tenant_key, scope, subject_hash, reason, matched, ${stamp.map(([column]) => column).join(", ")})
     values ($1, 'memories', $2, 'operator', true, ${stamp.map(([, value]) => value).join(", ")})
     returning tombstone_id::text as id`,
    [tenantKey, subjectHash({ tenantKey, ...SUBJECT })],
  );
  await sql(
    "insert into demystify_memory.tombstone_item (tenant_key, item_id, tombstone_id, kind) values ($1, $2, $3, 'memory')",
    [tenantKey, memory, row?.["id"]],
  );
  return String(row?.["id"]);
}

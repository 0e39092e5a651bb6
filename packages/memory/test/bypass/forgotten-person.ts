import type { GivenNative } from "../sqlreal/databases.js";
import { insertLineage } from "../sqlreal/rows.js";
import type { Sql } from "../support/sql.js";
import { exportOf, SUBJECT } from "./observe.js";
import type { Exported } from "./observe.js";

export interface ForgottenPerson {
  readonly tenantKey: string;
  readonly tombstoneId: string;
  /** What was exported once she was forgotten. */
  readonly exported: Exported;
}

/** A person who was stored, forgotten, and whose tombstone was exported. */
export async function aForgottenPerson(
  given: Pick<GivenNative, "sql" | "memory">,
  tenantKey: string,
): Promise<ForgottenPerson> {
  await insertLineage(given.sql, { tenantKey });
  const { tombstoneId } = await given.memory().forget({ tenantKey, ...SUBJECT });
  return { tenantKey, tombstoneId, exported: await exportOf(given, tenantKey) };
}

/** Removes the evidence of an erasure, with the rules switched off and on again as they were. */
export async function removeEvidence(sql: Sql, { tenantKey, tombstoneId }: ForgottenPerson): Promise<void> {
  for (const table of ["erasure_event", "tombstone_item", "tombstone"]) {
    await sql(`alter table demystify_memory.${table} disable trigger user`);
    await sql(`delete from demystify_memory.${table} where tenant_key = $1 and tombstone_id = $2`, [
      tenantKey,
      tombstoneId,
    ]);
    const triggers = await sql(
      "select quote_ident(tgname) as name from pg_trigger where tgrelid = $1::regclass and not tgisinternal",
      [`demystify_memory.${table}`],
    );
    for (const { name } of triggers) {
      await sql(`alter table demystify_memory.${table} enable always trigger ${String(name)}`);
    }
  }
}

import type { Queryable } from "@demystify/memory";

/** Tells which placements are on record: what a sink holds is compared with it. */
export interface PlacementLedger {
  /** `live`: recorded and not known to be gone. What is not in the answer was never recorded. */
  statesOf(tenantKey: string, placementIds: readonly string[]): Promise<ReadonlyMap<string, "live" | "gone">>;
}

/**
 * The ledger read from the table of placements, for a role that was given SELECT on it:
 * `grant select on demystify_memory.placement to …`. The tenant is set for the one statement, so row-level security
 * shows its rows and no others.
 */
export function sqlLedger(db: Queryable): PlacementLedger {
  return {
    async statesOf(tenantKey, placementIds) {
      const { rows } = await db.query(STATES, [tenantKey, `{${placementIds.join(",")}}`]);
      return new Map(
        (rows as readonly { readonly id: string; readonly gone: boolean }[]).map(({ id, gone }) => [
          id,
          gone ? "gone" : "live",
        ]),
      );
    },
  };
}

// The setting is made by a step that the scan depends on, so it stands before the first row is judged.
const STATES = `
  with tenant as materialized (
    select set_config('app.current_tenant', $1, true) as key)
  select p.placement_id::text as id, p.gone_at is not null as gone
    from tenant t, lateral (
      select placement_id, gone_at
        from demystify_memory.placement
       where tenant_key = t.key and placement_id = any($2::uuid[])) p`;

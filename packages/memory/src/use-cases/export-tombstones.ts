import type { MemoryContext } from "./context.js";
import { readTenant, type TenantInput } from "./tenant-input.js";
import type { TombstoneRecord } from "../domain/reconciliation.js";

const PAGE_ROWS = 1000;

/** Checks the input at once, and reads nothing before the first line is asked for. */
export function exportTombstones(context: MemoryContext, input: TenantInput): AsyncIterable<string> {
  return exportLines(context, readTenant(input));
}

async function* exportLines({ store }: MemoryContext, tenantKey: string): AsyncGenerator<string, void, undefined> {
  let after: string | null = null;
  for (;;) {
    const page: readonly TombstoneRecord[] = await store.upkeep.exportTombstones(tenantKey, {
      limit: PAGE_ROWS,
      after,
    });
    for (const record of page) yield JSON.stringify(record);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return;
    after = last.tombstoneId;
  }
}

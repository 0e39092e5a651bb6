import { describe, expect, test, vi } from "vitest";
import type { Memory, MemoryStore } from "../src/index.js";
import { LONG_AGO } from "./support/builders.js";
import { KEPT_SUBJECT, keep, type Kept, READ_PATHS } from "./support/read-paths.js";
import { describeEachStore } from "./support/stores.js";

const ERASED_STATES = {
  "whose erasure is open": async (memory: Memory, tenantKey: string) => {
    await memory.erasures.open({ tenantKey, subjectKey: KEPT_SUBJECT });
  },
  "that is destroyed, before its erasure is complete": async (
    memory: Memory,
    tenantKey: string,
    store: MemoryStore,
  ) => {
    const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: KEPT_SUBJECT });
    const { receipt } = await store.advanceErasure(tenantKey, tombstoneId, 1000);
    expect(receipt).toMatchObject({ state: "in_progress", destroyedAt: expect.any(String) as string });
  },
  "whose erasure is complete": async (memory: Memory, tenantKey: string) => {
    await memory.forget({ tenantKey, subjectKey: KEPT_SUBJECT });
  },
};

describeEachStore("every read path", (given) => {
  describe.each(READ_PATHS)("$name", ({ live, shown }) => {
    test("shows a row that lives", async () => {
      const { memory, tenantKey } = await given.tenant();
      const kept = await keep(memory, tenantKey);

      expect([...(await shown(memory, kept))].sort()).toEqual(live.map((row) => idOf(kept, row)).sort());
    });

    test.each(Object.entries(ERASED_STATES))("does not show a row %s", async (_, erase) => {
      const { memory, tenantKey } = await given.tenant();
      const kept = await keep(memory, tenantKey);
      await erase(memory, tenantKey, given.store);

      const ids = await shown(memory, kept);

      expect(ids.filter((id) => id === idOf(kept, "source") || id === idOf(kept, "summary"))).toEqual([]);
    });
  });

  test("hides a row once it has expired, but for the person's own preview", async () => {
    const { memory, tenantKey } = await given.tenant();
    const kept = await keep(memory, tenantKey, { expiresAt: new Date(Date.now() + 1500) });
    expect(kept.summary.derived.expiresAt).toBe(kept.source.memory.expiresAt);
    await vi.waitFor(async () => expect(await memory.getMemory(tenantKey, idOf(kept, "source"))).toBeNull(), 10_000);

    for (const { name, live, shown, showsExpired } of READ_PATHS) {
      const ids = (await shown(memory, kept)).filter(
        (id) => id === idOf(kept, "source") || id === idOf(kept, "summary"),
      );
      const expected = showsExpired === true ? live.map((row) => idOf(kept, row)) : [];
      expect([name, [...ids].sort()]).toEqual([name, [...expected].sort()]);
    }
  });

  test("erases an expired row with the person, though nobody can read it", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.remember({ tenantKey, subjectKey: KEPT_SUBJECT, text: "long over", expiresAt: LONG_AGO });

    const receipt = await memory.forget({ tenantKey, subjectKey: KEPT_SUBJECT });

    expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1 } });
    await given.expectNowhere("long over");
  });
});

function idOf({ source, summary }: Kept, row: "source" | "summary"): string {
  return row === "source" ? source.memory.memoryId : summary.derived.derivedId;
}

import fc from "fast-check";
import { expect, test } from "vitest";
import { aMemory, aSummaryOf } from "./support/builders.js";
import { describeEachStore } from "./support/stores.js";

const people = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 6, maxLength: 14 });
/** After each page, who is forgotten and whether somebody else writes. */
const between = fc.array(fc.record({ forgotten: fc.integer({ min: 0, max: 9 }), written: fc.boolean() }), {
  minLength: 14,
  maxLength: 14,
});

describeEachStore("a list read page by page while people are forgotten", (given) => {
  test("shows every row that outlives the reading, none twice, newest first", async () => {
    await fc.assert(
      fc.asyncProperty(people, between, fc.integer({ min: 1, max: 4 }), async (stored, events, limit) => {
        const { memory, tenantKey } = await given.tenant();
        const person = (n: number) => `person:${String(n)}`;
        const results = await memory.rememberMany(
          stored.map((n) => aMemory({ tenantKey, subjectKey: person(n), metadata: { of: n } })),
        );
        const sources = results.flatMap((result) => ("memory" in result ? [result] : []));
        await memory.deriveMany(sources.map((source) => ({ ...aSummaryOf(source), metadata: source.memory.metadata })));
        const gone = new Set<number>();

        const [memories, derived]: [string[], string[]] = [[], []];
        const cursors: [string | null | undefined, string | null | undefined] = [undefined, undefined];
        const from = (cursor: string | null | undefined) => (typeof cursor === "string" ? { cursor } : {});
        for (const { forgotten, written } of events) {
          if (cursors[0] !== null) {
            const page = await memory.listMemories({ tenantKey, limit, ...from(cursors[0]) });
            memories.push(...page.rows.map(({ memoryId }) => memoryId));
            cursors[0] = page.nextCursor;
          }
          if (cursors[1] !== null) {
            const page = await memory.listDerived({ tenantKey, limit, ...from(cursors[1]) });
            derived.push(...page.rows.map(({ derivedId }) => derivedId));
            cursors[1] = page.nextCursor;
          }
          if (forgotten < 6) {
            gone.add(forgotten);
            await memory.forget({ tenantKey, subjectKey: person(forgotten) });
          }
          if (written) await memory.remember(aMemory({ tenantKey, subjectKey: "somebody:else" }));
        }

        const lasting = sources.filter((_, n) => !gone.has(stored[n] ?? -1)).map(({ memory: row }) => row.memoryId);
        expect(cursors).toEqual([null, null]);
        expect(new Set(memories).size).toBe(memories.length);
        expect(new Set(derived).size).toBe(derived.length);
        expect(memories.filter((id) => lasting.includes(id))).toEqual([...lasting].reverse());
        expect(derived.length).toBeGreaterThanOrEqual(lasting.length);
      }),
      { numRuns: process.env["LONG"] === undefined ? 5 : 50, seed: 20240505 },
    );
  }, 120_000);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonContains } from "../src/adapters/in-memory/json.js";
import type { Metadata } from "../src/index.js";
import { aMemory } from "./support/builders.js";
import { describeEachStore } from "./support/stores.js";

const scalars = fc.constantFrom(0, 1, -1.5, "", "a", "0", true, false, null);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof({ maxDepth: 3, withCrossShrink: true }, scalars, tie("list"), tie("object")),
  list: fc.array(tie("json"), { maxLength: 3 }),
  object: fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("json"), { maxKeys: 3 }),
}));
const metadata = fc.dictionary(fc.constantFrom("a", "b", "c"), json, { maxKeys: 3 }) as fc.Arbitrary<Metadata>;

describeEachStore("the metadata filter of recall, over random JSON", (given) => {
  test("is containment, the same in every store", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(metadata, { minLength: 10, maxLength: 10 }), metadata, async (stored, filter) => {
        const { memory, tenantKey } = await given.tenant();
        await memory.rememberMany(
          stored.map((each, n) => aMemory({ tenantKey, text: "tea", kind: `n${n}`, metadata: each })),
        );

        const { hits } = await memory.recall({ tenantKey, text: "tea", metadata: filter });

        const expected = stored.flatMap((each, n) => (jsonContains(each, filter) ? [`n${n}`] : []));
        expect(hits.map(({ row }) => row.kind).sort()).toEqual(expected.sort());
      }),
      { numRuns: 25, seed: 20240503 },
    );
  });
});

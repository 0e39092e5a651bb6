import { canonical, holds, present, refused, same } from "../failure.js";
import { madeFrom, RAMESH, said, sourceOf, type Promised } from "../given.js";

const LONG_AGO = "2001-09-09T01:46:40.000Z";
const NOBODY = "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a";

/** What is stored is what is read. */
export const STORING_CASES: readonly Promised[] = [
  {
    name: "a stored row is the same by id, in lists and in recall",
    async check({ memory, tenantKey }) {
      const source = await memory.remember({
        ...said(tenantKey, "drinks saffron tea"),
        alsoAbout: ["customer:asha"],
        metadata: { plan: "gold", tags: ["a", "b"] },
        embedding: [1, 0],
        kind: "note",
        capturedAt: LONG_AGO,
      });
      const summary = await memory.derive({ ...madeFrom(source), text: "saffron", embedding: [0, 1] });
      const { memoryId } = source.memory;
      const { derivedId } = summary.derived;

      same("a memory by id", await memory.getMemory(tenantKey, memoryId), source.memory);
      same("a derived row by id", await memory.getDerived(tenantKey, derivedId), summary.derived);
      same("the list of memories", (await memory.listMemories({ tenantKey })).rows, [source.memory]);
      same("the list of derived rows", (await memory.listDerived({ tenantKey, subjectKey: RAMESH })).rows, [
        summary.derived,
      ]);
      const terms = await memory.recall({ tenantKey, text: "tea" });
      same("recall by terms", terms.hits, [{ kind: "memory", row: source.memory, score: 1 }]);
      const vector = await memory.recall({ tenantKey, embedding: [0, 1] });
      same("recall by vector", vector.hits, [{ kind: "derived", row: summary.derived, score: 1 }]);
    },
  },
  {
    name: "no edge is lost: a derived row names every source, and lineage follows each both ways",
    async check({ memory, tenantKey }) {
      const one = await memory.remember(said(tenantKey, "one"));
      const two = await memory.remember(said(tenantKey, "two"));
      const three = await memory.remember(said(tenantKey, "three"));
      const pair = await memory.derive(madeFrom(one, two));
      const all = await memory.derive(madeFrom(three, pair));

      const row = present("a derived row", await memory.getDerived(tenantKey, all.derived.derivedId));
      same("the sources of a derived row", sorted(row.sources), sorted([sourceOf(three), sourceOf(pair)]));
      const above = await memory.lineage({ tenantKey, kind: "derived", id: all.derived.derivedId });
      same(
        "the ancestors of a derived row",
        sorted(above?.ancestors ?? []),
        sorted([
          { kind: "memory", id: three.memory.memoryId, depth: 1 },
          { kind: "derived", id: pair.derived.derivedId, depth: 1 },
          { kind: "memory", id: one.memory.memoryId, depth: 2 },
          { kind: "memory", id: two.memory.memoryId, depth: 2 },
        ]),
      );
      for (const source of [one, two]) {
        const below = await memory.lineage({ tenantKey, kind: "memory", id: source.memory.memoryId });
        same(
          "the descendants of a memory",
          sorted(below?.descendants ?? []),
          sorted([
            { kind: "derived", id: pair.derived.derivedId, depth: 1 },
            { kind: "derived", id: all.derived.derivedId, depth: 2 },
          ]),
        );
      }
    },
  },
  {
    name: "a derived row on a source that does not exist is refused, and nothing of it is stored",
    async check({ memory, tenantKey }) {
      const source = await memory.remember(said(tenantKey, "one"));
      await refused("deriving from nothing", "ERR_UNKNOWN_SOURCE", () =>
        memory.derive({
          ...madeFrom(source),
          sources: [sourceOf(source), { sourceKind: "derived", sourceId: NOBODY }],
        }),
      );
      same("the derived rows", (await memory.listDerived({ tenantKey })).rows, []);
    },
  },
  {
    name: "the same idempotency key stores one row, also at the same time, and never answers an erased one",
    async check({ memory, tenantKey }) {
      const input = { ...said(tenantKey, "once"), idempotencyKey: "first" };
      const [one, two] = await Promise.all([memory.remember(input), memory.remember(input)]);
      same("the rows of one key", one.memory, two.memory);
      same("the list", (await memory.listMemories({ tenantKey })).rows, [one.memory]);
      await memory.forget({ tenantKey, subjectKey: RAMESH });
      const again = await memory.remember(input);
      holds("a key answered an erased row", again.memory.memoryId !== one.memory.memoryId);
    },
  },
  {
    name: "an expired row is on no read path, cannot be derived from, and is listed for removal",
    async check({ memory, tenantKey, store }) {
      const source = await memory.remember({ ...said(tenantKey, "over"), embedding: [1, 0], expiresAt: LONG_AGO });
      const { memoryId } = source.memory;
      same("an expired row by id", await memory.getMemory(tenantKey, memoryId), null);
      same("the list", (await memory.listMemories({ tenantKey })).rows, []);
      same("recall by terms", (await memory.recall({ tenantKey, text: "over" })).hits, []);
      same("recall by vector", (await memory.recall({ tenantKey, embedding: [1, 0] })).hits, []);
      await refused("deriving from an expired row", "ERR_UNKNOWN_SOURCE", () => memory.derive(madeFrom(source)));
      same("what is to be removed", (await store.upkeep.expiredMemories(tenantKey, 10)).groups, [[memoryId]]);
      const { receipts } = await memory.erasures.expire({ tenantKey });
      same(
        "what was removed",
        receipts.map(({ counts }) => counts.memories),
        [1],
      );
    },
  },
];

function sorted(items: readonly object[]): readonly object[] {
  return [...items].sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
}

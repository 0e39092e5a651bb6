import { refused, same } from "../failure.js";
import { madeFrom, RAMESH, said, type Promised } from "../given.js";

const SECRET = "a secret of at least thirty-two bytes";
const OTHER_SECRET = "another secret of thirty-two bytes or more";

/** Whose rows are whose. */
export const KEY_CASES: readonly Promised[] = [
  {
    name: "keys are compared exactly: a prefix, another case, a space or another normal form is another person",
    async check({ memory, tenantKey }) {
      const others = ["person:10", "person:", "Person:1", "person:1 ", "person:\u00e9", "person:e\u0301"];
      const kept: string[] = [];
      for (const subjectKey of others) {
        kept.push((await memory.remember(said(tenantKey, "kept", subjectKey))).memory.memoryId);
      }
      const { memory: row } = await memory.remember(said(tenantKey, "erased", "person:1"));

      const { rows } = await memory.listMemories({ tenantKey, subjectKey: "person:1" });
      const receipt = await memory.forget({ tenantKey, subjectKey: "person:1" });

      same("the list of one person", rows, [row]);
      same("the memories erased", receipt.counts.memories, 1);
      for (const memoryId of kept) {
        same("a row of another person", (await memory.getMemory(tenantKey, memoryId))?.memoryId, memoryId);
      }
    },
  },
  {
    name: "another tenant's rows are as none, also where one key begins with the other",
    async check({ memory, tenantKey, store }) {
      const other = `${tenantKey}0`;
      const source = await memory.remember({ ...said(tenantKey, "kept"), embedding: [1, 0] });
      const summary = await memory.derive(madeFrom(source));
      const { memoryId } = source.memory;
      const { derivedId } = summary.derived;

      same("a memory of another tenant", await memory.getMemory(other, memoryId), null);
      same("a derived row of another tenant", await memory.getDerived(other, derivedId), null);
      same("the lineage of a row of another tenant", await store.lineage(other, "memory", memoryId), null);
      same("the list of another tenant", (await memory.listMemories({ tenantKey: other })).rows, []);
      same("recall by terms in another tenant", (await memory.recall({ tenantKey: other, text: "kept" })).hits, []);
      same(
        "recall by vector in another tenant",
        (await memory.recall({ tenantKey: other, embedding: [1, 0] })).hits,
        [],
      );
      await refused("deriving from another tenant's row", "ERR_UNKNOWN_SOURCE", () =>
        memory.derive({ ...madeFrom(source), tenantKey: other }),
      );
      await memory.forget({ tenantKey: other, subjectKey: RAMESH });
      await memory.forget({ tenantKey: other, memoryIds: [memoryId] });
      same("the row after another tenant erased", await memory.getMemory(tenantKey, memoryId), source.memory);
    },
  },
  {
    name: "a missing or mistyped pepper never certifies that there is nothing",
    async check({ tenantKey, reopened }) {
      const before = reopened({ subjectHashPepper: [{ id: "k1", secret: SECRET }] });
      await before.remember(said(tenantKey, "kept"));
      for (const pepper of [
        { id: "k2", secret: OTHER_SECRET },
        { id: "k1", secret: OTHER_SECRET },
      ]) {
        const after = reopened({ subjectHashPepper: [pepper] });
        await refused("forgetting without the key", "ERR_CLOSURE_NOT_ENUMERABLE", () =>
          after.forget({ tenantKey, subjectKey: RAMESH }),
        );
        await refused("listing without the key", "ERR_CLOSURE_NOT_ENUMERABLE", () =>
          after.listMemories({ tenantKey, subjectKey: RAMESH }),
        );
      }
      same("the tombstones of refused calls", await before.erasureHistory(tenantKey), []);
    },
  },
  {
    name: "a rotated pepper finds, and erases, what was written under every key",
    async check({ tenantKey, reopened }) {
      const before = reopened({ subjectHashPepper: [{ id: "k1", secret: SECRET }] });
      const after = reopened({
        subjectHashPepper: [
          { id: "k2", secret: OTHER_SECRET },
          { id: "k1", secret: SECRET },
        ],
      });
      await before.remember(said(tenantKey, "old"));
      await after.remember(said(tenantKey, "new"));

      const receipt = await after.forget({ tenantKey, subjectKey: RAMESH });

      same("the memories erased", receipt.counts.memories, 2);
      same("other persons in the receipt", receipt.otherSubjects, 0);
      same("what is left", (await after.listMemories({ tenantKey })).rows, []);
    },
  },
];

import { SQL_STORES, type SingleCase } from "./case.js";

const tenantKey = "round trips";
const subjectKey = "person:1";

/** How many statements a call is: the tenant's scope and row-level security take none of their own. */
export const roundTrips: SingleCase = {
  name: "round-trips",
  stores: SQL_STORES,
  run: async ({ memory, calls }, _, give) => {
    const remember = () => memory.remember({ tenantKey, subjectKey, text: "Round trips are counted, not timed." });
    const { memory: row } = await remember();
    await memory.recall({ tenantKey, text: "round trips" });
    const works: Readonly<Record<string, () => Promise<unknown>>> = {
      remember,
      "rememberMany of 1,000": () =>
        memory.rememberMany(
          Array.from({ length: 1000 }, (_, n) => ({ tenantKey, subjectKey, text: `Line ${String(n)}` })),
        ),
      derive: () =>
        memory.derive({
          tenantKey,
          kind: "summary",
          text: "One statement.",
          sources: [{ sourceKind: "memory", sourceId: row.memoryId }],
        }),
      getMemory: () => memory.getMemory(tenantKey, row.memoryId),
      listMemories: () => memory.listMemories({ tenantKey }),
      "recall, lexical": () => memory.recall({ tenantKey, text: "round trips" }),
      "recall, bm25": () => memory.recall({ tenantKey, text: "round trips", strategy: "bm25" }),
      "forget, with its three commits": () => memory.forget({ tenantKey, subjectKey }),
    };
    for (const [work, run] of Object.entries(works)) {
      const before = calls();
      await run();
      const ours = calls() - before;
      give({ work, unit: "round trips", ours, targets: [{ of: "ours", atMost: 1 }] });
    }
  },
};

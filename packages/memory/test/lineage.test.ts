import { expect, test } from "vitest";
import { aMemory, aSummaryOf, sourceOf } from "./support/builders.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("lineage", (given) => {
  test("shows ancestors and descendants with the length of the shortest way to them", async () => {
    const { memory, tenantKey } = await given.tenant();
    const ramesh = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
    const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    const weekly = await memory.derive(aSummaryOf(ramesh));
    const monthly = await memory.derive(aSummaryOf(weekly, priya));
    const yearly = await memory.derive(aSummaryOf(monthly, ramesh));

    const ofYearly = await memory.lineage({ tenantKey, kind: "derived", id: yearly.derived.derivedId });
    const ofRamesh = await memory.lineage({ tenantKey, kind: "memory", id: ramesh.memory.memoryId });
    const ofMonthly = await memory.lineage({ tenantKey, kind: "derived", id: monthly.derived.derivedId });

    expect(ofYearly).toEqual({
      ancestors: [node(ramesh, 1), node(monthly, 1), node(priya, 2), node(weekly, 2)],
      descendants: [],
      placements: [],
    });
    expect(ofRamesh).toEqual({
      ancestors: [],
      descendants: [...[node(weekly, 1), node(yearly, 1)].sort(byId), node(monthly, 2)],
      placements: [],
    });
    expect(ofMonthly).toEqual({
      ancestors: [node(priya, 1), node(weekly, 1), node(ramesh, 2)],
      descendants: [node(yearly, 1)],
      placements: [],
    });
  });

  test("of a row that is unknown, of the other sort or malformed is null", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));

    expect(await memory.lineage({ tenantKey, kind: "derived", id: source.memory.memoryId })).toBeNull();
    expect(await memory.lineage({ tenantKey, kind: "memory", id: "malformed" })).toBeNull();
  });

  test("names no row that is forgotten: what was made from it is gone with it", async () => {
    const { memory, tenantKey } = await given.tenant();
    const ramesh = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
    const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    const shared = await memory.derive(aSummaryOf(ramesh, priya));
    await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });

    expect(await memory.lineage({ tenantKey, kind: "memory", id: priya.memory.memoryId })).toEqual({
      ancestors: [],
      descendants: [],
      placements: [],
    });
    expect(await memory.lineage({ tenantKey, kind: "derived", id: shared.derived.derivedId })).toBeNull();
  });
});

function node(made: Parameters<typeof sourceOf>[0], depth: number) {
  const { sourceKind, sourceId } = sourceOf(made);
  return { kind: sourceKind, id: sourceId, depth };
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}

import { expect, test } from "vitest";
import { aMemory, UNKNOWN_ID } from "./support/builders.js";
import { aCopyOf, forgetIncompletely, refOf } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("the status of a recorded copy", (given) => {
  test("is live, outstanding, gone or abandoned, and nothing is said of an id that nobody recorded", async () => {
    const { memory, tenantKey } = await given.tenant();
    const priya = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:priya" }));
    const ramesh = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
    const { placement: live } = await memory.recordPlacement(aCopyOf(priya));
    const { placement: abandoned } = await memory.recordPlacement({ ...aCopyOf(priya), ref: "2", writeWithin: 60 });
    const { placement: gone } = await memory.recordPlacement(aCopyOf(ramesh));
    const { placement: waiting } = await memory.recordPlacement({ ...aCopyOf(ramesh), ref: "2" });
    await memory.placements.abandoned({ tenantKey, placementId: abandoned.placementId });
    const erasure = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: "customer:ramesh" }));
    await memory.erasures.confirm({ ...erasure, placementId: gone.placementId, proof: "unfindable", by: "worker" });

    const ids = [waiting, gone, abandoned, live].map(({ placementId }) => placementId);
    const statuses = await memory.placements.status({ tenantKey, placementIds: [...ids, UNKNOWN_ID, ids[0]!] });

    expect(statuses).toEqual([
      { placementId: live.placementId, sink: "vector-index", status: "live" },
      { placementId: abandoned.placementId, sink: "vector-index", status: "abandoned" },
      { placementId: gone.placementId, sink: "vector-index", status: "gone" },
      { placementId: waiting.placementId, sink: "vector-index", status: "outstanding" },
    ]);
  });

  test("of a copy that came back after it was confirmed is outstanding again", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey, subjectKey: "customer:ramesh" }));
    const { placementId } = (await memory.recordPlacement(aCopyOf(source))).placement;
    const erasure = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: "customer:ramesh" }));
    await memory.erasures.confirm({ ...erasure, placementId, proof: "unfindable", by: "worker" });

    await memory.placements.written({ tenantKey, placementId, ref: "back" }).catch(() => undefined);

    const statuses = await memory.placements.status({ tenantKey, placementIds: [placementId] });
    expect(statuses).toEqual([{ placementId, sink: "vector-index", status: "outstanding" }]);
  });

  test("is not told to another tenant", async () => {
    const { memory, tenantKey } = await given.tenant();
    const other = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    const { placementId } = (await memory.recordPlacement(aCopyOf(source))).placement;

    const statuses = await other.memory.placements.status({ tenantKey: other.tenantKey, placementIds: [placementId] });

    expect(statuses).toEqual([]);
  });

  test.each([
    ["more than a thousand ids", Array.from({ length: 1001 }, () => UNKNOWN_ID)],
    ["something that is no id", ["ramesh@example.org"]],
    ["no list", "ramesh@example.org"],
  ])("is refused for %s, which the error does not repeat", async (_what, placementIds) => {
    const { memory, tenantKey } = await given.tenant();

    const refused = memory.placements.status({ tenantKey, placementIds: placementIds as string[] });

    await expect(refused).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      message: expect.not.stringContaining("ramesh") as string,
    });
  });
});

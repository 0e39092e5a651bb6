import { expect, test } from "vitest";
import { quickstart } from "../../../examples/quickstart.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("the code of the README", (given) => {
  test("does what its comments say", async () => {
    const { memory, tenantKey } = await given.tenant();

    const { complaint, digest, hits, receipt } = await quickstart(memory as never, tenantKey);

    expect(complaint.text).toBe("Ramesh at [PHONE:****3210] disputed invoice INV-42");
    expect(hits.map((hit) => hit.kind)).toEqual(["memory", "derived"]);
    expect(receipt).toMatchObject({
      state: "complete",
      closure: "confirmed",
      counts: { memories: 1, derived: 1, provenanceEdges: 1 },
      cascadeDepth: 1,
    });
    expect(await memory.getMemory(tenantKey, complaint.memoryId)).toBeNull();
    expect(await memory.getDerived(tenantKey, digest.derivedId)).toBeNull();
    await given.expectNowhere("customer:ramesh", "INV-42", "9876543210");
  });
});

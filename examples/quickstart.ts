// The code of the README, word for word: scripts/docs.mjs copies the regions, and a test runs them on every store.
import { Memory } from "@demystify/memory";

export async function quickstart(memory = new Memory(), tenantKey = "acme") {
  // #region quickstart
  const { memory: complaint } = await memory.remember({
    tenantKey,
    subjectKey: "customer:ramesh",
    text: "Ramesh at 9876543210 disputed invoice INV-42",
  });
  complaint.text; // → "Ramesh at [PHONE:****3210] disputed invoice INV-42"

  const { derived: digest } = await memory.derive({
    tenantKey,
    kind: "digest",
    text: "One customer disputed INV-42",
    sources: [{ sourceKind: "memory", sourceId: complaint.memoryId }],
  });
  const { hits } = await memory.recall({ tenantKey, text: "disputed invoice" }); // → both rows, the memory first

  const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });
  await memory.getMemory(tenantKey, complaint.memoryId); // → null
  await memory.getDerived(tenantKey, digest.derivedId); // → null
  // #endregion
  return { complaint, digest, hits, receipt };
}

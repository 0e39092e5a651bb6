import type { Memory } from "@demystify/memory";
import { postgresSink, placeThenWrite, Worker, type Sink, type WorkerEvent } from "@demystify/memory-worker";
import type { Pool } from "pg";

/** The code of the README, as it stands there. */
export function copying(memory: Memory, tenantKey: string, pool: Pool, log: (event: WorkerEvent) => void) {
  // #region sink
  const vectors = postgresSink({
    name: "vectors", // the `sink` of its placements
    db: pool,
    table: "public.vectors",
    tenantColumn: "tenant_tag",
    controlRow: { embedding: "{0}" }, // planted and removed again: does the sink show what is there?
  });
  // #endregion

  const write = async (memoryId: string) => {
    // #region write
    const { outcome } = await placeThenWrite({
      memory,
      tenantKey,
      sink: vectors,
      ref: `vector of ${memoryId}`,
      kind: "embedding",
      sources: [{ sourceKind: "memory", sourceId: memoryId }],
      write: async ({ placementId, tenantTag }) => {
        const values = [placementId, tenantTag, "{0.1,0.2}"];
        const sql = "insert into vectors (placement_id, tenant_tag, embedding) values ($1, $2, $3) returning id";
        return (await pool.query<{ id: string }>(sql, values)).rows[0]?.id; // the ref, where it is only known now
      },
    });
    // outcome: "written", or "forgotten" where the person was erased meanwhile, and the copy removed again
    // #endregion
    return outcome;
  };

  const work = (sinks: readonly Sink[] = [vectors]) => {
    // #region worker
    const worker = new Worker({
      memory,
      sinks,
      tenantKeys: [tenantKey],
      onEvent: (event) => log(event), // ids and codes: no ref, no content
    });
    process.once("SIGTERM", () => void worker.stop());
    const ended = worker.start();
    // #endregion
    return { worker, ended };
  };
  return { write, work };
}

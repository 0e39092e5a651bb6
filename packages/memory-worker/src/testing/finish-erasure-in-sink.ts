import type { ErasureReceipt, Memory } from "@demystify/memory";
import type { WorkerEvent } from "../worker-event.js";
import { Worker } from "../worker.js";
import { pause, type GivenSink } from "./given-sink.js";

/** Lets a worker work on an erasure until it is complete, or for a few rounds. */
export async function finishErasureInSink(
  memory: Memory,
  erasure: ErasureReceipt,
  given: GivenSink,
): Promise<{ readonly receipt: ErasureReceipt; readonly events: readonly WorkerEvent[] }> {
  const events: WorkerEvent[] = [];
  const settle = (given.sink.settleSeconds ?? 0) * 1000;
  // The clock of the store goes on by itself; that of the worker jumps over its pauses.
  let jumped = 0;
  const worker = new Worker({
    memory,
    sinks: [given.sink],
    tenantKeys: [erasure.tenantKey],
    callTimeoutSeconds: given.seconds,
    onEvent: (event) => events.push(event),
    clock: { now: () => new Date(Date.now() + jumped) },
  });
  for (let round = 0; round < ROUNDS; round++) {
    await worker.runOnce({ only: refOf(erasure) });
    if ((await memory.erasures.status(refOf(erasure))).state === "complete") break;
    await pause(settle);
    jumped += 3_600_000;
  }
  return { receipt: await memory.erasures.status(refOf(erasure)), events };
}

const ROUNDS = 4;

/** The reference of an erasure, as every later call takes it. */
export function refOf({ tenantKey, tombstoneId }: ErasureReceipt) {
  return { tenantKey, tombstoneId };
}

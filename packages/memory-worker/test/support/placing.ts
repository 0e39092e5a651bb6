import { tagOf, type CopyTag, type WorkerEvent, type WorkerMemory, type WorkerOptions } from "../../src/index.js";
import type { Memory } from "../../../memory/src/index.js";
import { aMemory, sourceOf } from "../../../memory/test/support/builders.js";
import { forgetIncompletely, refOf } from "../../../memory/test/support/copies.js";
import type { Shelf } from "./shelf.js";

/** A memory of Ramesh with one copy of it, written to a place that `write` answers the ref of. */
export async function aPlacedCopy(
  memory: Memory,
  tenantKey: string,
  options: {
    readonly sink?: string;
    readonly write: (tag: CopyTag) => string | Promise<string>;
    readonly subjectKey?: string;
  },
) {
  const source = await memory.remember(aMemory({ tenantKey, subjectKey: options.subjectKey ?? "customer:ramesh" }));
  const { placement } = await memory.recordPlacement({
    tenantKey,
    sink: options.sink ?? "shelf",
    ref: `to be written ${source.memory.memoryId}`,
    kind: "embedding",
    sources: [sourceOf(source)],
    writeWithin: 600,
  });
  const ref = await options.write(tagOf(placement));
  await memory.placements.written({ tenantKey, placementId: placement.placementId, ref });
  return { source, placementId: placement.placementId, ref };
}

/** A copy of Ramesh's on the shelf, and his erasure, which waits for it. */
export async function anErasureWithACopy(memory: Memory, tenantKey: string, shelf: Shelf) {
  const copy = await aPlacedCopy(memory, tenantKey, { write: (tag) => shelf.write(tag) });
  const receipt = await forgetIncompletely(memory, { tenantKey, subjectKey: "customer:ramesh" });
  return { ...copy, erasure: refOf(receipt) };
}

/** A copy of Ramesh's that is on record, and whose writer has not reported. Answers its id. */
export async function aCopyBeingWritten(memory: Memory, tenantKey: string): Promise<string> {
  const source = await memory.remember(aMemory({ tenantKey }));
  const { placement } = await memory.recordPlacement({
    tenantKey,
    sink: "shelf",
    ref: "not written yet",
    kind: "embedding",
    sources: [sourceOf(source)],
    writeWithin: 600,
  });
  return placement.placementId;
}

/** Options of a worker whose pauses are what the test says, and the events it told. */
export function listening(
  options: Omit<WorkerOptions, "onEvent" | "memory"> & { readonly memory: Memory | WorkerMemory },
) {
  const events: WorkerEvent[] = [];
  let ahead = 0;
  return {
    events,
    ofType: <Type extends WorkerEvent["type"]>(type: Type) =>
      events.filter((event): event is Extract<WorkerEvent, { type: Type }> => event.type === type),
    /** Lets the worker's clock go on. */
    pass: (seconds: number) => {
      ahead += seconds * 1000;
    },
    options: {
      random: () => 1,
      resumeAfterSeconds: 0,
      ...options,
      onEvent: (event: WorkerEvent) => events.push(event),
      clock: { now: () => new Date(Date.now() + ahead) },
    } as WorkerOptions,
  };
}

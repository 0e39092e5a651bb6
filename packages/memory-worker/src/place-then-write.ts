import type { Placement, SourceRef } from "@demystify/memory";
import { callWithin } from "./call-within.js";
import { tagOf, type CopyTag } from "./copy.js";
import type { Sink } from "./sink.js";
import { codeOf, type WorkerMemory } from "./worker-memory.js";

/** A copy that is about to be written to a sink. */
export interface PlaceThenWriteInput {
  readonly memory: WorkerMemory;
  readonly tenantKey: string;
  /** Where to, and how what was written too late is removed again. */
  readonly sink: Sink;
  /** Where in the sink. Keep people out of it: an opaque name is best. */
  readonly ref: string;
  readonly kind: string;
  readonly sources: readonly SourceRef[];
  /** How many seconds `write` may take: until then, or until it has reported, no erasure counts the copy as gone. Default: 60. */
  readonly writeWithin?: number;
  /**
   * Writes the copy, with the tag in the fields the sink reads back. Answers the ref where that is only known now; any other answer is ignored. It
   * must give up when the signal is aborted, and throw unless it has written.
   */
  readonly write: (tag: CopyTag, call: { readonly signal: AbortSignal }) => Promise<unknown>;
}

/** What became of it. `forgotten`: a source was forgotten meanwhile, and the copy was removed again. */
export type PlaceThenWriteResult =
  | { readonly outcome: "written"; readonly placement: Placement }
  | { readonly outcome: "forgotten"; readonly placement: Placement; readonly undone: boolean };

/**
 * Records a copy, writes it, and looks again: if the person was forgotten in between, what was written is removed at
 * once. Wherever this process dies, the copy is on record, and the erasure waits for it; `undone: false` says that the
 * removal failed here and is left to the worker.
 *
 * A write that throws leaves the copy on record too: it may have reached the sink. Call again with the same ref, kind
 * and sources to try anew, or `placements.abandoned` where it certainly did not.
 *
 * @throws SourceForgottenError before anything is written, where a source is forgotten already
 * @throws whatever `write` throws; a `SinkError` with `timeout` where it takes longer than `writeWithin`
 */
export async function placeThenWrite(input: PlaceThenWriteInput): Promise<PlaceThenWriteResult> {
  const { memory, tenantKey, sink, kind, sources } = input;
  const writeWithin = input.writeWithin ?? 60;
  const recorded = await memory.recordPlacement({
    tenantKey,
    sink: sink.name,
    ref: input.ref,
    kind,
    sources,
    writeWithin,
  });
  const { placementId } = recorded.placement;

  let ref = input.ref;
  const report = (written: unknown) => {
    if (typeof written === "string") ref = written;
    // A ref that was removed because the copy was taken for gone has to be given again.
    return memory.placements.written({ tenantKey, placementId, ref });
  };
  const write = (signal: AbortSignal) => input.write(tagOf(recorded.placement), { signal });
  // A writer that ends well after its time is over has written, and an erasure has to know of it.
  const written = await inTime(writeWithin, write, report);
  try {
    return { outcome: "written", placement: (await report(written)).placement };
  } catch (thrown) {
    if (codeOf(thrown) !== "ERR_SOURCE_FORGOTTEN") throw thrown;
    const copy = { tenantKey, placementId, ref, kind };
    const undone = await callWithin(UNDO_SECONDS, (call) => sink.destroy(copy, call)).then(
      () => true,
      () => false,
    );
    return { outcome: "forgotten", placement: recorded.placement, undone };
  }
}

const UNDO_SECONDS = 30;

/** Runs the writer within its time; tells if it ends with success after all. What it throws itself stays as it is. */
async function inTime<Result>(
  seconds: number,
  write: (signal: AbortSignal) => Promise<Result>,
  late: (result: Result) => Promise<unknown>,
): Promise<Result> {
  let over = false;
  let failure: { readonly thrown: unknown } | undefined;
  try {
    return await callWithin(seconds, async ({ signal }) => {
      try {
        const result = await write(signal);
        if (over) await late(result).catch(() => undefined);
        return result;
      } catch (thrown) {
        failure = { thrown };
        throw thrown;
      }
    });
  } catch (thrown) {
    over = true;
    throw failure === undefined ? thrown : failure.thrown;
  }
}

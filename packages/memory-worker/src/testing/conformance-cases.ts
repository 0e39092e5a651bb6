import { randomBytes, randomUUID } from "node:crypto";
import { InMemoryStore, Memory } from "@demystify/memory";
import { callWithin } from "../call-within.js";
import { tagOf, tenantTag } from "../copy.js";
import { positiveControl } from "../positive-control.js";
import { atLeast, type SinkEntry } from "../sink.js";
import { mustHold, SinkConformanceFailure } from "./conformance-failure.js";
import { finishErasureInSink, refOf } from "./finish-erasure-in-sink.js";
import { prepareSink, type GivenSink, type SinkConformanceSetup } from "./given-sink.js";

/** One promise of the contract, and how to see whether a sink keeps it. */
export interface SinkConformanceCase {
  /** The promise, as a sentence. */
  readonly name: string;
  /** @throws SinkConformanceFailure where the promise is broken */
  readonly run: () => Promise<void>;
}

/**
 * What any sink must keep to, the positive control first: each case has seen a copy before it believes that one is
 * gone. Plain functions, for whatever test framework:
 *
 * ```ts
 * for (const { name, run } of sinkConformanceCases({ createSink, write })) test(name, run);
 * ```
 */
export function sinkConformanceCases(setup: SinkConformanceSetup): readonly SinkConformanceCase[] {
  return CASES.map(({ name, check }) => ({ name, run: async () => check(await prepareSink(setup)) }));
}

interface Promised {
  readonly name: string;
  readonly check: (given: GivenSink) => Promise<void>;
}

const CASES: readonly Promised[] = [
  {
    name: "a copy that is there is shown, under its ref and by its tag",
    async check(given) {
      const copy = await given.copy(given.newTenantKey());

      await given.mustBeThere("a copy that was not touched", copy);
    },
  },
  {
    name: "the proof it says it reaches is one its looks can show",
    async check({ sink, dump }) {
      const { reaches, whyNotMore } = sink;
      const [byId, byTag] = [sink.readBackById !== undefined, sink.readBackByTag !== undefined];
      mustHold("it says nothing of what it cannot show", whyNotMore.trim().length > 0);
      mustHold("`absent` takes a look", !atLeast(reaches, "absent") || byId || byTag);
      mustHold(
        "`unfindable` takes a look under the ref and one by the tag",
        !atLeast(reaches, "unfindable") || (byId && byTag),
      );
      mustHold("`purged` takes a purge", (reaches === "purged") === (sink.purge !== undefined));
      mustHold("a sink that reaches `purged` is tested with `dump`", reaches !== "purged" || dump !== undefined);
    },
  },
  {
    name: "a copy that was destroyed is gone, and stays so",
    async check(given) {
      const copy = await given.copy(given.newTenantKey());

      await given.destroy(copy);

      await given.mustBeGone("a destroyed copy", copy);
    },
  },
  {
    name: "destroying one copy leaves every other where it is",
    async check(given) {
      const tenantKey = given.newTenantKey();
      const others = [await given.copy(tenantKey), await given.copy(given.newTenantKey())];
      const copy = await given.copy(tenantKey);

      await given.destroy(copy);

      await given.mustBeGone("a destroyed copy", copy);
      for (const other of others) await given.mustBeThere("a copy next to the destroyed one", other);
    },
  },
  {
    name: "destroying what is not there, or once more, is no failure",
    async check(given) {
      const copy = await given.copy(given.newTenantKey());

      await given.destroy(copy);
      await given.destroy(copy);

      await given.mustBeGone("a copy destroyed twice", copy);
    },
  },
  {
    name: "everything stored under one tag goes with it, whatever its ref",
    async check(given) {
      if (given.sink.readBackByTag === undefined) return;
      const copy = await given.copy(given.newTenantKey());
      const twin = await given.writeAgain(copy);
      await given.mustBeThere("a second copy under the same tag", twin);

      await given.destroy(copy);

      await given.mustBeGone("a copy", copy);
      await given.mustBeGone("its twin under the same tag", twin);
    },
  },
  {
    name: "a copy that is written again after it was destroyed is seen by its tag",
    async check(given) {
      if (given.sink.readBackByTag === undefined) return;
      const copy = await given.copy(given.newTenantKey());
      await given.destroy(copy);

      const back = await given.writeAgain(copy);

      await given.mustBeThere("a copy that came back", back);
      await given.destroy(back);
      await given.mustBeGone("a copy that came back and was destroyed again", back);
    },
  },
  {
    name: "after a purge nothing of the text is left in what the sink stores",
    async check(given) {
      if (given.sink.purge === undefined || given.dump === undefined) return;
      const text = `needle${randomBytes(12).toString("hex")}`;
      const copy = await given.copy(given.newTenantKey(), text);
      mustHold("the dump does not show a text that is there", (await given.dump()).includes(text));

      await given.destroy(copy);
      await given.purge(copy);

      mustHold("the text is left in what the sink stores", !(await given.dump()).includes(text));
    },
  },
  {
    name: "its list has every copy of the tenant, with its tag, and nothing else",
    async check(given) {
      if (given.sink.enumerate === undefined) return;
      const tenantKey = given.newTenantKey();
      const copies = [await given.copy(tenantKey), await given.copy(tenantKey)];
      await given.copy(given.newTenantKey());

      const found: SinkEntry[] = [];
      const list = async () => {
        const signal = AbortSignal.timeout(given.seconds * 1000);
        for await (const entry of given.sink.enumerate?.(tenantTag(tenantKey), { signal }) ?? []) found.push(entry);
      };
      await failing("listing what it holds", () => callWithin(given.seconds, list));

      const plain = (entries: readonly { readonly ref: string; readonly placementId: string | null }[]) =>
        JSON.stringify(entries.map(({ ref, placementId }) => [ref, placementId]).sort());
      mustHold("the list is not what was written", plain(found) === plain(copies));
    },
  },
  {
    name: "its own positive control is seen, and leaves nothing behind",
    async check(given) {
      const { sink } = given;
      if (sink.plant === undefined) return;
      const tenantKey = given.newTenantKey();

      const looks = await failing("its positive control", () => positiveControl(sink, tenantKey, given.seconds));
      mustHold("it does not show what it planted", looks?.byId !== "absent" && looks?.byTag !== "absent");

      const tag = tagOf({ tenantKey, placementId: randomUUID() });
      const ref = await failing("planting", () => callWithin(given.seconds, async (call) => sink.plant?.(tag, call)));
      const copy = { tenantKey, placementId: tag.placementId, ref: ref ?? "", kind: "conformance" };
      if (sink.readBackByTag !== undefined) await given.mustBeThere("what was planted", copy);
      await given.destroy(copy);
      await given.mustBeGone("what was planted", copy);
    },
  },
  {
    name: "a worker finishes an erasure in it, at the level it says it reaches",
    async check(given) {
      const { sink } = given;
      if (!atLeast(sink.reaches, "absent")) return;
      const tenantKey = given.newTenantKey();
      const memory = new Memory({ store: new InMemoryStore() });
      await memory.sinks.register({ tenantKey, sink: sink.name, requiredProof: requirement(sink.reaches) });
      const { memory: source } = await memory.remember({ tenantKey, subjectKey: "person", text: "said something" });
      const placed = { tenantKey, sink: sink.name, kind: "conformance", sources: [sourceOf(source.memoryId)] };
      const recorded = await memory.recordPlacement({ ...placed, ref: "not written yet", writeWithin: 600 });
      const { placementId } = recorded.placement;
      const written = await given.writeAgain({ tenantKey, placementId, ref: "", kind: "conformance" });
      await given.mustBeThere("a copy that was just written", written);
      await memory.placements.written({ tenantKey, placementId, ref: written.ref });
      const opened = await memory.erasures.open({ tenantKey, subjectKey: "person" });
      await memory.erasures.resume(refOf(opened));

      const { receipt, events } = await finishErasureInSink(memory, opened, given);

      const confirmed = events.flatMap((event) => (event.type === "copy_confirmed" ? [event.proof] : []));
      mustHold(
        `the erasure is ${receipt.state} and confirmed as ${confirmed.join(", ") || "nothing"}, not as ${sink.reaches}`,
        receipt.state === "complete" && confirmed.join() === sink.reaches,
      );
      await given.mustBeGone("a copy whose erasure is complete", written);
    },
  },
];

async function failing<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof SinkConformanceFailure) throw thrown;
    throw new SinkConformanceFailure(`${what} failed`);
  }
}

function requirement(reaches: string): "absent" | "unfindable" | "purged" {
  return reaches === "purged" || reaches === "absent" ? reaches : "unfindable";
}

function sourceOf(sourceId: string) {
  return { sourceKind: "memory", sourceId } as const;
}

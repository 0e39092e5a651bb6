import { randomUUID } from "node:crypto";
import { callWithin } from "../call-within.js";
import { tagOf, type Copy, type CopyTag } from "../copy.js";
import { isSeen, lookFor } from "../looks.js";
import type { Sink } from "../sink.js";
import { mustHold, SinkConformanceFailure } from "./conformance-failure.js";

/** How the kit gets at the sink under test. */
export interface SinkConformanceSetup {
  /** The sink; each case works with placements of its own. */
  readonly createSink: () => Sink | Promise<Sink>;
  /** Writes an entry with this tag and this text, as a host would; answers its ref. */
  readonly write: (sink: Sink, tag: CopyTag, text: string) => Promise<string>;
  /**
   * Everything that lies in the sink, files and logs included, as text. Asked for by sinks that reach `purged`: that
   * is what the word means.
   */
  readonly dump?: (sink: Sink) => string | Promise<string>;
  /** How long one call may take before the sink counts as hanging. Default: 20 seconds. */
  readonly callTimeoutSeconds?: number;
  /** How often a destroyed copy is looked for again. Default: 5. */
  readonly looks?: number;
  /** The pause between two of these looks, for what takes time to come back. Default: 0. */
  readonly pauseMilliseconds?: number;
}

/** What one case is given. */
export interface GivenSink {
  readonly sink: Sink;
  readonly seconds: number;
  readonly newTenantKey: () => string;
  /** Writes a copy and sees it: the positive control, without which no later "absent" is believed. */
  readonly copy: (tenantKey: string, text?: string) => Promise<Copy>;
  /** Writes another entry under the tag of a copy. */
  readonly writeAgain: (copy: Copy, text?: string) => Promise<Copy>;
  readonly destroy: (copy: Copy) => Promise<void>;
  readonly mustBeGone: (what: string, copy: Copy) => Promise<void>;
  readonly mustBeThere: (what: string, copy: Copy) => Promise<void>;
  readonly purge: (copy: Copy) => Promise<void>;
  readonly dump: (() => Promise<string>) | undefined;
}

export async function prepareSink(setup: SinkConformanceSetup): Promise<GivenSink> {
  const sink = await setup.createSink();
  const seconds = setup.callTimeoutSeconds ?? 20;
  const { dump } = setup;
  const within = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await callWithin(seconds, work);
    } catch (thrown) {
      throw new SinkConformanceFailure(`${what}: ${codeOf(thrown)}`);
    }
  };
  const look = async (what: string, copy: Copy) => {
    try {
      return await lookFor(sink, copy, seconds);
    } catch (thrown) {
      throw new SinkConformanceFailure(`${what}: looking for it failed: ${codeOf(thrown)}`);
    }
  };
  const write = async (tag: CopyTag, tenantKey: string, text: string): Promise<Copy> => {
    const ref = await within("a copy could not be written", () => setup.write(sink, tag, text));
    return { tenantKey, placementId: tag.placementId, ref, kind: "conformance" };
  };
  const mustBeThere = async (what: string, copy: Copy) => {
    const deadline = Date.now() + (sink.settleSeconds ?? 0) * 1000;
    for (;;) {
      const { byId, byTag } = await look(what, copy);
      if (byId !== "absent" && byTag !== "absent") return;
      if (Date.now() < deadline) await pause(PAUSE_MILLISECONDS);
      else
        throw new SinkConformanceFailure(
          `${what}: it is not shown ${byId === "absent" ? "under its ref" : "by its tag"}`,
        );
    }
  };
  return {
    sink,
    seconds,
    newTenantKey: () => `tenant-${randomUUID()}`,
    async copy(tenantKey, text = "nothing of interest") {
      const tag = tagOf({ tenantKey, placementId: randomUUID() });
      const copy = await write(tag, tenantKey, text);
      await mustBeThere("a copy that was just written", copy);
      return copy;
    },
    writeAgain: (copy, text = "nothing of interest") => write(tagOf(copy), copy.tenantKey, text),
    destroy: async (copy) => {
      await within("destroying a copy", () => sink.destroy(copy, { signal: AbortSignal.timeout(seconds * 1000) }));
      await pause((sink.settleSeconds ?? 0) * 1000);
    },
    async mustBeGone(what, copy) {
      for (let turn = 0; turn < (setup.looks ?? 5); turn++) {
        if (turn > 0) await pause(setup.pauseMilliseconds ?? 0);
        const looks = await look(what, copy);
        mustHold(`${what}: it is shown ${looks.byId === "present" ? "under its ref" : "by its tag"}`, !isSeen(looks));
      }
    },
    mustBeThere,
    async purge(copy) {
      if (sink.purge === undefined) return;
      const left = await within("purging", async () =>
        sink.purge?.(copy, { signal: AbortSignal.timeout(seconds * 1000) }),
      );
      mustHold("after a purge something of the copy is left", left === "absent");
    },
    dump: dump === undefined ? undefined : async () => dump(sink),
  };
}

const PAUSE_MILLISECONDS = 20;

export function pause(milliseconds: number): Promise<void> {
  return milliseconds <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function codeOf(thrown: unknown): string {
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : "it failed";
}

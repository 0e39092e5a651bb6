import { callWithin } from "./call-within.js";
import { tenantTag } from "./copy.js";
import { listShowsPlanted } from "./positive-control.js";
import { judgeEntries, ofSink, SinkFailure, type Judging } from "./judge-entries.js";
import type { Sink, SinkEntry } from "./sink.js";
import type { SinkSweep, SweepFinding, SweepReport } from "./sweep-report.js";
import type { WorkerEvent } from "./worker-event.js";
import type { WorkerMemory } from "./worker-memory.js";
import { byName, quietly, type Settings } from "./worker-options.js";

/** What a sweep looks at. */
export interface SweepOptions {
  readonly memory: WorkerMemory;
  readonly sinks: readonly Sink[];
  readonly tenantKeys: readonly string[];
  /** Opens an erasure anew for every copy that came back, so that a worker destroys it. Orphans are only reported. */
  readonly repair?: boolean;
  readonly signal?: AbortSignal;
  /** How long one call to a sink, or one page of its list, may take. Default: 30. */
  readonly callTimeoutSeconds?: number;
  readonly onEvent?: (event: WorkerEvent) => void;
  /** Is told where each orphan is. A ref may be personal: for a person's eyes, not for a log. */
  readonly onOrphan?: (orphan: { readonly tenantKey: string; readonly sink: string; readonly ref: string }) => void;
}

/**
 * Lists what the sinks hold of each tenant, and compares it with what is on record. `clean` only where everything could
 * be looked at; a sink that cannot list what it holds is `unchecked`, and so is one that fails.
 *
 * @throws InvalidInputError where two sinks have one name; whatever the store throws
 */
export async function sweep(options: SweepOptions): Promise<SweepReport> {
  return sweepSinks({
    memory: options.memory,
    sinks: byName(options.sinks),
    tenantKeys: options.tenantKeys,
    repair: options.repair === true,
    signal: options.signal,
    callTimeoutSeconds: options.callTimeoutSeconds ?? 30,
    emit: quietly(options.onEvent),
    onOrphan: options.onOrphan,
  });
}

interface Sweep extends Judging {
  readonly sinks: Settings["sinks"];
  readonly tenantKeys: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** The same with the settings of a worker. */
export async function sweepSinks(options: Sweep): Promise<SweepReport> {
  const sinks: SinkSweep[] = [];
  for (const tenantKey of options.tenantKeys) {
    for (const sink of options.sinks.values()) {
      const seen = await sweepSink(options, tenantKey, sink);
      const count = (code: SweepFinding["code"]) => seen.findings.filter((finding) => finding.code === code).length;
      const counts = { orphans: count("orphan"), resurrections: count("resurrection") };
      options.emit({
        type: "sink_swept",
        tenantKey,
        sink: sink.name,
        verdict: seen.verdict,
        ...counts,
        failed: seen.unchecked === "failed",
      });
      sinks.push(seen);
    }
  }
  return { verdict: worst(sinks.map(({ verdict }) => verdict)), sinks };
}

function worst(verdicts: readonly SinkSweep["verdict"][]): SinkSweep["verdict"] {
  if (verdicts.includes("residue")) return "residue";
  return verdicts.includes("unchecked") ? "unchecked" : "clean";
}

const PAGE = 500;

async function sweepSink(options: Sweep, tenantKey: string, sink: Sink): Promise<SinkSweep> {
  const tally = { entries: 0, awaiting: 0, findings: [] as SweepFinding[], reopened: 0 };
  const answer = (unchecked?: NonNullable<SinkSweep["unchecked"]>): SinkSweep => ({
    tenantKey,
    sink: sink.name,
    verdict: tally.findings.length > 0 ? "residue" : unchecked === undefined ? "clean" : "unchecked",
    ...(unchecked === undefined ? {} : { unchecked }),
    ...tally,
  });
  const stop = new AbortController();
  const listed = sink.enumerate?.(tenantTag(tenantKey), { signal: stop.signal });
  if (listed === undefined) return answer("cannot_enumerate");

  const pages = inPages(listed, options.callTimeoutSeconds);
  try {
    for await (const entries of pages) {
      if (options.signal?.aborted === true) return answer("failed");
      await judgeEntries(options, tenantKey, sink, entries, tally);
    }
    // An empty list is what a place that was misspelt shows too.
    if (tally.entries === 0 && !(await ofSink(listShowsPlanted(sink, tenantKey, options.callTimeoutSeconds)))) {
      return answer("uncontrolled");
    }
  } catch (thrown) {
    if (!(thrown instanceof SinkFailure)) throw thrown;
    return answer("failed");
  } finally {
    stop.abort();
  }
  return answer();
}

async function* inPages(entries: AsyncIterable<SinkEntry>, seconds: number): AsyncGenerator<readonly SinkEntry[]> {
  const iterator = entries[Symbol.asyncIterator]();
  let page: SinkEntry[] = [];
  try {
    for (;;) {
      const next = await ofSink(callWithin(seconds, () => iterator.next()));
      if (next.done === true) break;
      page.push(next.value);
      if (page.length < PAGE) continue;
      yield page;
      page = [];
    }
  } finally {
    // Lets the sink close what it has open, without waiting for one that hangs.
    iterator.return?.()?.catch(() => undefined);
  }
  yield page;
}

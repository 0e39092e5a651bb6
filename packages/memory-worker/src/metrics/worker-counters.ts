import type { WorkerEvent } from "../worker-event.js";
import { formatMetrics } from "./prometheus-format.js";

/**
 * Counts what one worker process tells, for Prometheus: `new Worker({ …, onEvent: (event) => counters.record(event) })`.
 * It starts at zero with the process, as counters do. What is open comes from `prometheusText`, and not from here.
 */
export class WorkerCounters {
  readonly #counts = new Map<string, Map<string, number>>();
  #lastSweep: number | undefined;
  readonly #now: () => number;

  constructor(options: { readonly now?: () => number } = {}) {
    this.#now = options.now ?? Date.now;
  }

  record(event: WorkerEvent): void {
    switch (event.type) {
      case "copy_confirmed":
        this.#add("worker_copies_total", { sink: event.sink, outcome: "confirmed" });
        return;
      case "copy_failed":
        this.#add("worker_copies_total", { sink: event.sink, outcome: event.code });
        return;
      case "proof_too_weak":
        this.#add("worker_copies_total", { sink: event.sink, outcome: "proof_too_weak" });
        return;
      case "sink_blind":
        this.#add("sink_blind_total", { sink: event.sink });
        return;
      case "copy_reappeared":
        this.#add("copies_reappeared_total", { sink: event.sink });
        return;
      case "erasure_escalated":
        this.#add("erasures_escalated_total", { code: event.code });
        return;
      case "erasure_completed":
        this.#add("erasures_completed_total", {});
        return;
      case "store_failed":
        this.#add("worker_store_failures_total", {});
        return;
      case "sink_swept":
        this.#add("residue_found_total", { sink: event.sink }, event.orphans + event.resurrections);
        if (!event.failed) this.#lastSweep = this.#now() / 1000;
        return;
      case "copy_waits":
      case "copy_left":
      case "erasure_resumed":
        return;
    }
  }

  prometheusText(): string {
    const counters = Object.entries(HELP).map(([name, help]) => ({
      name,
      type: "counter" as const,
      help,
      samples: [...(this.#counts.get(name) ?? [])]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([labels, value]) => ({ labels: JSON.parse(labels) as Record<string, string>, value })),
    }));
    const swept = {
      name: "sweep_last_success_timestamp_seconds",
      type: "gauge" as const,
      help: "When a sink was last swept without failing.",
      samples: this.#lastSweep === undefined ? [] : [{ value: Math.floor(this.#lastSweep) }],
    };
    return formatMetrics([...counters, swept]);
  }

  #add(name: keyof typeof HELP, labels: Readonly<Record<string, string>>, by = 1): void {
    const counts = this.#counts.get(name) ?? new Map<string, number>();
    const key = JSON.stringify(labels);
    counts.set(key, (counts.get(key) ?? 0) + by);
    this.#counts.set(name, counts);
  }
}

const HELP = {
  copies_reappeared_total: "Copies that were there again after their confirmation, by sink.",
  erasures_completed_total: "Erasures that this worker completed.",
  erasures_escalated_total: "Erasures that this worker gave to a person, by code.",
  residue_found_total: "Orphans and resurrections that sweeps found, by sink.",
  sink_blind_total: "Times a sink did not show what is known to be there, by sink.",
  worker_copies_total: "Tries at copies by this worker, by sink and outcome.",
  worker_store_failures_total: "Calls to the store, or to the list of tenants, that failed.",
} as const;

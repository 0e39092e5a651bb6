import type { Metric } from "./prometheus-format.js";

/** What is known of the open erasures, from whatever source. */
export interface OpenErasures {
  readonly byState: Readonly<Record<"in_progress" | "escalated", number>>;
  /** How long the oldest has been open; 0 if none is. */
  readonly oldestSeconds: number;
  /** Copies that are not known to be gone, by sink. */
  readonly unconfirmed: ReadonlyMap<string, number>;
}

/** The metrics of open erasures, the same from every source. */
export function openErasureMetrics({ byState, oldestSeconds, unconfirmed }: OpenErasures): readonly Metric[] {
  return [
    {
      name: "erasures_open",
      type: "gauge",
      help: "Erasures that are not complete, by state.",
      samples: [
        { labels: { state: "in_progress" }, value: byState.in_progress },
        { labels: { state: "escalated" }, value: byState.escalated },
      ],
    },
    {
      name: "erasure_oldest_open_seconds",
      type: "gauge",
      help: "How long the oldest open erasure has been open; 0 if none is.",
      samples: [{ value: Math.round(oldestSeconds) }],
    },
    {
      name: "destructions_unconfirmed",
      type: "gauge",
      help: "Copies that open erasures wait for, by sink.",
      samples: [...unconfirmed]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([sink, value]) => ({ labels: { sink }, value })),
    },
  ];
}

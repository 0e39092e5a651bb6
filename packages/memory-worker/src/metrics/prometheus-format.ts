/** One metric in the text format of Prometheus. */
export interface Metric {
  /** Without the prefix `demystify_memory_`. */
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly samples: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[];
}

/** The text of these metrics. Labels are codes: a sink, a state, an outcome; never a person, and never a tenant. */
export function formatMetrics(metrics: readonly Metric[]): string {
  return metrics
    .map(({ name, type, help, samples }) => {
      const full = `demystify_memory_${name}`;
      const lines = samples.map(({ labels = {}, value }) => `${full}${labelsOf(labels)} ${String(value)}`);
      return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...lines].join("\n") + "\n";
    })
    .join("");
}

function labelsOf(labels: Readonly<Record<string, string>>): string {
  const written = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return written.length === 0 ? "" : `{${written.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

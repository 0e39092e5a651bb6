import { readFileSync } from "node:fs";
import type { Redaction, RedactorPort } from "../../src/redaction/index.js";

/** One line of `examples.jsonl`: a text, and what must be found in it. All values are made up. */
export interface Example {
  readonly id: string;
  readonly text: string;
  /** `text.slice(start, end)` is the identifier; `alt` names other kinds that are right as well. */
  readonly spans: readonly {
    readonly kind: string;
    readonly start: number;
    readonly end: number;
    readonly alt?: readonly string[];
  }[];
  readonly why: string;
  /** `core` follows from the published table; `hard` needs context, care with Unicode or a guard. */
  readonly tier: "core" | "hard";
}

export function readExamples(name = "examples.jsonl"): readonly Example[] {
  return readFileSync(new URL(name, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Example);
}

interface KindScore {
  readonly kind: string;
  readonly precision: number;
  readonly recall: number;
  readonly spans: number;
}

export interface Score {
  readonly kinds: readonly KindScore[];
  /** Share of the lines whose findings are exactly the labelled spans. */
  readonly exact: { readonly core: number; readonly hard: number };
  /** Share of the lines without an identifier that came back unchanged. */
  readonly harmlessKept: number;
  /** Findings in lines without an identifier. */
  readonly falseAlarms: number;
  readonly wrong: readonly { readonly id: string; readonly got: readonly Redaction[] }[];
}

/** Compares what a redactor finds with the labels. */
export function scoreRedactor(redactor: RedactorPort, examples: readonly Example[]): Score {
  const counts = new Map<string, { found: number; right: number; spans: number }>();
  const count = (kind: string) => {
    const known = counts.get(kind) ?? { found: 0, right: 0, spans: 0 };
    counts.set(kind, known);
    return known;
  };
  const lines = { core: { all: 0, exact: 0 }, hard: { all: 0, exact: 0 } };
  const harmless = { all: 0, kept: 0, alarms: 0 };
  const wrong: { id: string; got: readonly Redaction[] }[] = [];

  for (const { id, text, spans, tier } of examples) {
    const { redactions } = redactor.redact(text);
    const matched = spans.map((span) =>
      redactions.find(
        ({ kind, start, end }) =>
          start === span.start && end === span.end && (kind === span.kind || span.alt?.includes(kind) === true),
      ),
    );
    spans.forEach((span, index) => {
      count(span.kind).spans++;
      if (matched[index] !== undefined) count(span.kind).right++;
    });
    redactions.forEach((redaction) => {
      const place = matched.indexOf(redaction);
      count(spans[place]?.kind ?? redaction.kind).found++;
    });

    const isExact = redactions.length === spans.length && matched.every((redaction) => redaction !== undefined);
    lines[tier].all++;
    if (isExact) lines[tier].exact++;
    else wrong.push({ id, got: redactions });
    if (spans.length === 0) {
      harmless.all++;
      harmless.alarms += redactions.length;
      if (redactions.length === 0) harmless.kept++;
    }
  }

  return {
    kinds: [...counts].map(([kind, { found, right, spans }]) => ({
      kind,
      precision: found === 0 ? 1 : right / found,
      recall: spans === 0 ? 1 : right / spans,
      spans,
    })),
    exact: { core: lines.core.exact / lines.core.all, hard: lines.hard.exact / lines.hard.all },
    harmlessKept: harmless.kept / harmless.all,
    falseAlarms: harmless.alarms,
    wrong,
  };
}

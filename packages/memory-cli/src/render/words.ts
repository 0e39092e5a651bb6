import type { DigestKind } from "../digest/plan-digests.js";

/** "1 message", "2,000 messages". */
export function amount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

const DIGEST_NAMES: Readonly<Record<DigestKind, string>> = {
  summary: "summary",
  "summary-part": "part of a summary",
  "weekly-digest": "weekly digest",
  "weekly-part": "part of a weekly digest",
  "monthly-digest": "monthly digest",
};

const DIGEST_PLURALS: Readonly<Record<DigestKind, string>> = {
  summary: "summaries",
  "summary-part": "parts of summaries",
  "weekly-digest": "weekly digests",
  "weekly-part": "parts of weekly digests",
  "monthly-digest": "monthly digests",
};

/** "14 summaries, 8 weekly digests": derived rows by kind. */
export function digests(made: readonly { readonly kind: DigestKind }[]): string {
  const kinds = (Object.keys(DIGEST_NAMES) as DigestKind[]).map(
    (kind) => [kind, made.filter((each) => each.kind === kind).length] as const,
  );
  const parts = kinds.flatMap(([kind, count]) =>
    count === 0 ? [] : [amount(count, DIGEST_NAMES[kind], DIGEST_PLURALS[kind])],
  );
  return parts.join(", ") || "nothing";
}

/** "0.4 s". */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** "aadhaar 7, pan 6": counts by name, in the order given. */
export function tally(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${name} ${count.toLocaleString("en")}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}

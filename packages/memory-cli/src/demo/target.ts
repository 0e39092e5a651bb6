import type { MadeDigest } from "../digest/derive-digests.js";
import { tellingWords } from "../digest/terms.js";
import { typicalLines } from "../digest/typical-lines.js";
import { chooseLiterals, literalsOf, type LiteralChoice } from "../proof/literals.js";
import type { Target } from "../proof/observe.js";
import type { Remembered } from "./remember-all.js";

const QUESTIONS = 20;

/** The person to forget, with all that this run knows to have stored about them. */
export function describeTarget(parts: {
  readonly tenantKey: string;
  readonly subjectKey: string;
  readonly remembered: readonly Remembered[];
  readonly digests: readonly MadeDigest[];
  /** What the tables without tenants held before. */
  readonly backdrop: readonly string[];
}): { readonly target: Target; readonly choice: LiteralChoice } {
  const { tenantKey, subjectKey, remembered } = parts;
  const mine = remembered.filter(({ line }) => line.subjectKey === subjectKey);
  const literals = literalsOf(
    subjectKey,
    mine.map(({ given, line, redactions }) => ({
      given: given.text,
      stored: line.text,
      identifiers: redactions.map(({ start, end }) => given.text.slice(start, end)),
    })),
  );
  const choice = chooseLiterals(literals, elsewhere(parts));
  return {
    choice,
    target: {
      tenantKey,
      subjectKey,
      memoryIds: mine.map(({ line }) => line.memoryId),
      digests: parts.digests.filter((digest) => digest.subjectKeys.has(subjectKey)),
      literals: choice.own,
      questions: mine.slice(0, QUESTIONS).map(({ line }) => line.text),
    },
  };
}

/** A question about what a person often wrote, for a conversation that nobody chose a question for. */
export function questionAbout(subjectKey: string, remembered: readonly Remembered[]): string {
  const lines = remembered.flatMap(({ line }) => (line.subjectKey === subjectKey ? [line] : []));
  const typical = typicalLines(lines, { limit: 1, perPerson: 1 }).lines[0];
  const words = tellingWords(typical?.text ?? "").slice(0, 4);
  return words.length > 0 ? words.join(" ") : (typical?.text.slice(0, 200) ?? "");
}

/** Everything that is not this person's: other people's keys and texts, and the database's own code lists. */
function* elsewhere(parts: {
  readonly subjectKey: string;
  readonly remembered: readonly Remembered[];
  readonly backdrop: readonly string[];
}): Generator<string> {
  yield* parts.backdrop;
  const keys = new Set<string>();
  for (const { given, line } of parts.remembered) {
    if (line.subjectKey === parts.subjectKey) continue;
    yield given.text;
    if (line.text !== given.text) yield line.text;
    keys.add(line.subjectKey);
  }
  yield* keys;
}

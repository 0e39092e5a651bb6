import { fold, LiteralIndex, type Needle } from "./literal-index.js";

export type LiteralKind = "subject_key" | "text_as_given" | "text_as_stored" | "identifier";

/** Something that only this person's data holds, and that must be nowhere once they are forgotten. */
export interface Literal extends Needle {
  readonly kind: LiteralKind;
}

/** What the proof will look for, and what it cannot tell from other people's data. */
export interface LiteralChoice {
  readonly own: readonly Literal[];
  /** Also said by others ("Thank you."): finding it afterwards would prove nothing. */
  readonly shared: number;
  /** Too short to be told from a part of something else. */
  readonly tooShort: number;
}

export interface PersonText {
  readonly given: string;
  readonly stored: string;
  /** The identifiers in `given`, as they stand there. */
  readonly identifiers: readonly string[];
}

/** Everything to look for: the key, each text as given and as stored, each identifier with and without its spaces. */
export function literalsOf(subjectKey: string, texts: readonly PersonText[]): readonly Literal[] {
  const literals = new Map<string, Literal>();
  const add = (kind: LiteralKind, value: string, whole: boolean) => {
    const folded = fold(value);
    if (!literals.has(folded)) literals.set(folded, { kind, value, whole });
  };
  add("subject_key", subjectKey, true);
  for (const { identifiers } of texts) {
    for (const identifier of identifiers) {
      add("identifier", identifier, false);
      // A bare digit run may happen to stand within a longer number that has nothing to do with it.
      const compact = identifier.replace(/[^\p{L}\p{N}]/gu, "");
      if (!identifier.includes("@")) add("identifier", compact, /^\p{N}+$/u.test(compact));
    }
  }
  // A stored text that redaction left alone is the given one; it counts as stored, for it will be found.
  for (const { stored } of texts) add("text_as_stored", stored.trim(), false);
  for (const { given } of texts) add("text_as_given", given.trim(), false);
  return [...literals.values()];
}

/**
 * Leaves out what would prove nothing.
 *
 * @param elsewhere everything other people wrote, their keys, and what the database held before anybody wrote
 */
export function chooseLiterals(literals: readonly Literal[], elsewhere: Iterable<string>): LiteralChoice {
  const distinct = literals.filter(isLongEnough);
  const index = new LiteralIndex(distinct);
  const shared = new Set<number>();
  for (const text of elsewhere) index.search(text, (found) => shared.add(found));
  return {
    own: distinct.filter((_, number) => !shared.has(number)),
    shared: shared.size,
    tooShort: literals.length - distinct.length,
  };
}

/** A short word or number turns up in ids, hashes and counts by chance. */
function isLongEnough({ kind, value }: Literal): boolean {
  if (kind === "identifier") return value.length >= 8;
  if (kind === "subject_key") return /^\p{N}*$/u.test(value) ? value.length >= 9 : value.length >= 4;
  return /\s/u.test(value) ? value.length >= 6 : value.length >= 12;
}

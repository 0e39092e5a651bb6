import type { Candidate } from "./candidate.js";
import { isAlphanumeric, isLower } from "./folding/characters.js";
import type { FoldedText } from "./folding/folded-text.js";
import { KIND_RULES, type RedactionKind } from "./kinds.js";

const STARS = "****";
const LONGEST_MASK = 24;
const CLOSE_BRACKET = 0x5d;

/** How the mask of each kind begins. */
const BEGINNINGS = Object.fromEntries(
  Object.entries(KIND_RULES).map(([kind, { name }]) => [kind, `[${name}:${STARS}`]),
) as Readonly<Record<RedactionKind, string>>;

/** What stands in for the identifier: ASCII, safe inside JSON strings, and no more than four characters of it. */
export function maskOf(view: FoldedText, { kind, start, end, isAddress }: Candidate): string {
  const keep = isAddress === true ? 0 : KIND_RULES[kind].keep;
  return `${BEGINNINGS[kind]}${keep === 0 ? "" : keptOf(view, start, end, keep)}]`;
}

/** The last `keep` letters and digits in upper case. */
function keptOf(view: FoldedText, start: number, end: number, keep: number): string {
  // In most the last characters are what is kept.
  if (isReady(view, end - keep, end)) return view.slice(end - keep, end);
  let kept = "";
  for (let index = end - 1; kept.length < keep && index >= start; index--) {
    const code = view.at(index);
    if (isAlphanumeric(code)) kept = String.fromCharCode(isLower(code) ? code - 32 : code) + kept;
  }
  return kept;
}

function isReady(view: FoldedText, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const code = view.at(index);
    if (!isAlphanumeric(code) || isLower(code)) return false;
  }
  return true;
}

/** A mask that this package wrote before. */
export interface Mask {
  readonly kind: RedactionKind;
  readonly start: number;
  readonly end: number;
}

const KINDS_BY_NAME: ReadonlyMap<string, RedactionKind> = new Map(
  Object.entries(KIND_RULES).map(([kind, rule]) => [rule.name, kind as RedactionKind]),
);

/**
 * The mask that starts at `start`, if there is one of exactly the shape `maskOf` writes. Anything else in brackets
 * (`[PHONE:9876543210]`) is text like any other.
 */
export function maskAt(view: FoldedText, start: number): Mask | null {
  let colon = start + 1;
  while (colon - start < LONGEST_MASK && view.at(colon) !== 0x3a) {
    const code = view.at(colon);
    if (!((code >= 0x41 && code <= 0x5a) || code === 0x5f)) return null;
    colon++;
  }
  const kind = KINDS_BY_NAME.get(view.slice(start + 1, colon));
  if (kind === undefined || view.slice(colon + 1, colon + 1 + STARS.length) !== STARS) return null;
  const kept = colon + 1 + STARS.length;
  const isAddress = kind === "abha" && view.at(kept) === CLOSE_BRACKET;
  const keep = isAddress ? 0 : KIND_RULES[kind].keep;
  for (let index = kept; index < kept + keep; index++) {
    if (!isAlphanumeric(view.at(index)) || isLower(view.at(index))) return null;
  }
  const end = kept + keep + 1;
  return view.at(end - 1) === CLOSE_BRACKET ? { kind, start, end } : null;
}

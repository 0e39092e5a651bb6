import type { FoldedText } from "../folding/folded-text.js";
import { type After, lookAhead } from "./look-ahead.js";
import { type Before, lookBack } from "./look-back.js";
import type { Label } from "./vocabulary.js";

/** What the words around a number say about it. The nearest label wins. */
export interface Surroundings {
  readonly label: Label | null;
  /** Said of this very number: nothing but ties between. */
  readonly direct: boolean;
  /** "at", "since": the number is a moment. */
  readonly moment: boolean;
  /** Called a number, and nothing more. */
  readonly numberWord: boolean;
  /** A `#` right before it, and nothing more. */
  readonly hash: boolean;
}

/** What is known of the identifiers and numbers before this one, by where they end. */
export type LabelsSoFar = ReadonlyMap<number, Label | null>;

/** Reads the clause around the number from `start` to `end`. */
export function readSurroundings(view: FoldedText, start: number, end: number, soFar: LabelsSoFar): Surroundings {
  const before = lookBack(view, start);
  if (before.label !== null && before.direct) return surroundings(before, before.label, true);
  const after = lookAhead(view, end);
  if (after !== null && (before.label === null || !isFaint(after))) return surroundings(before, after.label, after.said);
  if (before.label === null && before.listAfter >= 0) {
    // The next item of a list: "from a/c 1… to 2…".
    return surroundings(before, soFar.get(before.listAfter) ?? null, false);
  }
  return surroundings(before, before.label, false);
}

/** A label that follows without a word between may as well belong to what comes next. */
function isFaint(after: After): boolean {
  return !after.said && after.label !== "account" && after.label !== "phone" && after.label !== "aadhaar";
}

function surroundings(before: Before, label: Label | null, direct: boolean): Surroundings {
  return {
    label,
    direct,
    moment: before.moment,
    numberWord: before.numberWord && label === null,
    hash: before.hash && label === null,
  };
}

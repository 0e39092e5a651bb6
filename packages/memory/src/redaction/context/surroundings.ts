import type { After } from "./look-ahead.js";
import type { Before } from "./look-back.js";
import type { Label } from "./vocabulary.js";

/** What the words around a number say about it. */
export interface Surroundings {
  readonly label: Label | null;
  /** Said of this very number: nothing but ties between. */
  readonly direct: boolean;
}

const SILENT: Surroundings = { label: null, direct: false };

/**
 * Weighs what stands before a number against what stands after it. The nearest label wins: one directly before, then
 * one tied to it after, then one further before, then (in a list, "from a/c 1… to 2…") that of the item before.
 */
export function weigh(before: Before, after: After | null, listLabel: Label | null): Surroundings {
  if (before.label !== null && before.direct) return before;
  if (after !== null && (before.label === null || !isFaint(after))) return { label: after.label, direct: after.said };
  if (before.label !== null) return before;
  return listLabel === null ? SILENT : { label: listLabel, direct: false };
}

/** A label that follows without a word between may as well belong to what comes next. */
function isFaint(after: After): boolean {
  return !after.said && after.label !== "account" && after.label !== "phone" && after.label !== "aadhaar";
}

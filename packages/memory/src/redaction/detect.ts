import type { Candidate } from "./candidate.js";
import { DigitGroups } from "./finders/digit-groups.js";
import { findCodes } from "./finders/find-codes.js";
import { findEmails } from "./finders/find-emails.js";
import { findNumbers } from "./finders/find-numbers.js";
import { findSpacedCodes } from "./finders/find-spaced-codes.js";
import { IfscLines } from "./finders/ifsc-lines.js";
import type { FoldedText } from "./folding/folded-text.js";
import { maskOf } from "./mask.js";
import { settle } from "./overlap.js";
import { scan } from "./scan.js";
import type { Settings } from "./settings.js";

/** An identifier in the folded view, and what is to stand in its place. */
export interface Detection extends Candidate {
  readonly replacement: string;
}

/**
 * Every identifier of the folded text, sorted and disjoint. What one finder has claimed is hidden before the next one
 * looks, so that no label is read out of an identifier, and a masked text reads like the one it came from.
 */
export function detect(view: FoldedText, settings: Settings): readonly Detection[] {
  const { groups, tokens, ats, masks } = scan(view);
  for (const mask of masks) view.hide(mask.start, mask.end);

  const emails = settings.kinds.has("email") ? claim(view, findEmails(view, ats)) : [];

  const spaced = findSpacedCodes(view, groups, tokens, settings);
  const found = settle([...findCodes(view, tokens, settings), ...spaced]);
  const ifscs = new IfscLines(view, masks, found);
  const codes = claim(view, found);

  const numbers = claim(view, findNumbers(new DigitGroups(view, groups), settings, ifscs, masks));
  return settle([...emails, ...codes, ...numbers]);
}

/** Settles who gets what, writes the masks, and hides what is claimed. */
function claim(view: FoldedText, candidates: readonly Candidate[]): readonly Detection[] {
  return settle(candidates).map((candidate) => {
    const { kind, start, end } = candidate;
    const detection = { kind, start, end, replacement: maskOf(view, candidate) };
    view.hide(start, end);
    return detection;
  });
}

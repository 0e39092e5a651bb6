import type { Candidate } from "./candidate.js";
import type { Label } from "./context/vocabulary.js";
import { DigitGroups } from "./finders/digit-groups.js";
import { findCodes } from "./finders/find-codes.js";
import { findEmails } from "./finders/find-emails.js";
import { findNumbers } from "./finders/find-numbers.js";
import { findSpacedCodes } from "./finders/find-spaced-codes.js";
import { IfscLines } from "./finders/ifsc-lines.js";
import type { FoldedText } from "./folding/folded-text.js";
import { settle } from "./overlap.js";
import { scan } from "./scan.js";
import type { Settings } from "./settings.js";

/**
 * Every identifier of the folded text, sorted and disjoint. What is claimed is hidden before the next finder looks,
 * so that no label is read out of an identifier and a masked text reads like the one it came from.
 */
export function detect(view: FoldedText, settings: Settings): Candidate[] {
  const { groups, tokens, ats, masks } = scan(view);
  const soFar = new Map<number, Label | null>();
  for (const mask of masks) {
    view.hide(mask.start, mask.end);
    soFar.set(mask.end, labelOfMask(mask.kind));
  }

  const emails = settings.kinds.has("email") ? settle(findEmails(view, ats)) : [];
  for (const email of emails) view.hide(email.start, email.end);

  const codes = settle([...findCodes(view, tokens, settings), ...findSpacedCodes(view, groups, tokens, settings)]);
  const ifscs = new IfscLines(view, [...masks, ...codes]);
  for (const code of codes) view.hide(code.start, code.end);

  const numbers = findNumbers(new DigitGroups(view, groups), settings, ifscs, soFar);
  return settle([...emails, ...codes, ...numbers]);
}

function labelOfMask(kind: string): Label | null {
  switch (kind) {
    case "bank_account":
      return "account";
    case "phone_in":
      return "phone";
    case "aadhaar":
      return "aadhaar";
    default:
      return null;
  }
}

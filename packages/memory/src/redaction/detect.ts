import type { Candidate } from "./candidate.js";
import { DigitGroups } from "./finders/digit-groups.js";
import { findBirthDates } from "./finders/find-birth-dates.js";
import { findCodes } from "./finders/find-codes.js";
import { findDocuments } from "./finders/find-documents.js";
import { findEmails } from "./finders/find-emails.js";
import { findIbans } from "./finders/find-ibans.js";
import { findNumbers } from "./finders/find-numbers.js";
import { findSpacedCodes } from "./finders/find-spaced-codes.js";
import { findUpi } from "./finders/find-upi.js";
import { IfscLines } from "./finders/ifsc-lines.js";
import type { FoldedText } from "./folding/folded-text.js";
import type { RedactionKind } from "./kinds.js";
import { maskOf } from "./mask.js";
import { settle } from "./overlap.js";
import type { Redaction } from "./redactor-port.js";
import { scan } from "./scan.js";
import type { Settings } from "./settings.js";

/** An identifier of the input and what is to stand in its place. */
export interface Finding extends Redaction {
  readonly kind: RedactionKind;
}

const DOCUMENTS = ["voter_id", "passport_in", "driving_licence_in", "vehicle_reg_in"] as const;

/**
 * Every identifier of the folded text, sorted and disjoint, by its place in the input. What one finder has claimed is
 * hidden before the next one looks, so that no label is read out of an identifier, and a masked text reads like the one
 * it came from.
 */
export function detect(view: FoldedText, settings: Settings): readonly Finding[] {
  const { groups, tokens, ats, masks } = scan(view);
  if (groups.length === 0 && ats.length === 0) return [];
  for (const mask of masks) view.hide(mask.start, mask.end);

  const emails = settings.kinds.has("email") && ats.length > 0 ? claim(view, findEmails(view, ats)) : [];

  const found = settle([
    ...findCodes(view, tokens, settings),
    ...findSpacedCodes(view, groups, tokens, settings),
    ...findOptionalCodes(view, groups, settings),
  ]);
  const ifscs = new IfscLines(view, masks, found);
  const codes = claim(view, found);
  // After the codes: one that follows a full stop is not the end of a domain.
  const handles = wantsHandles(settings) && ats.length > 0 ? claim(view, findUpi(view, ats, settings)) : [];

  const numbers = claim(view, findNumbers(new DigitGroups(view, groups), settings, ifscs, masks));
  if (emails.length + codes.length + handles.length === 0) return numbers;
  return settle([...emails, ...codes, ...handles, ...numbers]);
}

function wantsHandles({ kinds }: Settings): boolean {
  return kinds.has("upi") || kinds.has("abha");
}

function findOptionalCodes(view: FoldedText, groups: readonly number[], settings: Settings): readonly Candidate[] {
  const { kinds } = settings;
  return [
    ...(kinds.has("iban") ? findIbans(view, groups) : []),
    ...(kinds.has("dob") ? findBirthDates(view, groups) : []),
    ...(DOCUMENTS.some((kind) => kinds.has(kind)) ? findDocuments(view, groups, settings) : []),
  ];
}

/** Settles who gets what, writes the masks, and hides what is claimed. */
function claim(view: FoldedText, candidates: readonly Candidate[]): readonly Finding[] {
  return settle(candidates).map((candidate) => {
    const { kind, start, end } = candidate;
    const replacement = maskOf(view, candidate);
    view.hide(start, end);
    return { kind, start: view.inputStart(start), end: view.inputEnd(end), replacement };
  });
}

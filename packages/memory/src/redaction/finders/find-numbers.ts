import { type Candidate } from "../candidate.js";
import type { RedactionKind } from "../kinds.js";
import type { Mask } from "../mask.js";
import { preference } from "../overlap.js";
import type { Settings } from "../settings.js";
import { BRACKET, type DigitGroups, TIGHT } from "./digit-groups.js";
import { matchAadhaar } from "./match-aadhaar.js";
import { type IfscPlaces, matchAccount, matchBareAccount } from "./match-account.js";
import { labelOfKind, NumbersSoFar } from "./list-labels.js";
import {
  matchAadhaarVid,
  matchAbha,
  matchCard,
  matchLandline,
  matchUan,
  matchUsSsn,
} from "./match-optional-numbers.js";
import { matchPhone, plusBefore } from "./match-phone.js";
import { type NumberMatch, NumberSite } from "./number-site.js";

/** A group that cannot begin anything: alone, and too short to be an identifier by itself. */
const SHORTEST_BARE = 9;
/** E.164: an international number has at most fifteen digits. */
const LONGEST_INTERNATIONAL = 15;
/** After a find, groups this far before it are looked at again: what blocked them may be gone. */
const STEP_BACK = 8;

interface Found extends Candidate {
  readonly last: number;
}

/** The identifiers that are digits alone: Aadhaar, account, phone and card numbers, and the like. */
export function findNumbers(
  groups: DigitGroups,
  settings: Settings,
  ifscs: IfscPlaces,
  masks: readonly Mask[],
): Candidate[] {
  const soFar = new NumbersSoFar(groups, masks);
  const matchers = MATCHERS.filter(([kind]) => settings.kinds.has(kind));
  const found: Candidate[] = [];
  for (let group = 0; group < groups.count; group++) {
    if (groups.isClaimed(group)) continue;
    if (groups.size(group) < SHORTEST_BARE && !groups.reaches(group, SHORTEST_BARE)) continue;
    if (isInsidePairs(groups, group)) continue;
    const foreign = lastOfForeign(groups, group);
    if (foreign >= 0) {
      groups.claim(group, foreign);
      group = foreign;
      continue;
    }
    const site = new NumberSite(groups, group, settings, soFar);
    const match = bestMatch(site, ifscs, matchers);
    if (match === null) {
      if (site.size >= SHORTEST_BARE) soFar.remember(group, site.around(group).label);
      continue;
    }
    found.push(match);
    groups.claim(group, match.last);
    soFar.remember(match.last, labelOfKind(match.kind));
    // What this number kept from standing alone may stand alone now.
    group = Math.max(-1, group - STEP_BACK - 1);
  }
  return found;
}

/** Pairs need a label before them, and here there is another number before them. */
function isInsidePairs(groups: DigitGroups, group: number): boolean {
  return groups.size(group) === 2 && groups.size(group + 1) === 2 && (groups.separator(group - 1) & TIGHT) !== 0;
}

type Matcher = (site: NumberSite, ifscs: IfscPlaces) => NumberMatch | null;

const MATCHERS: readonly (readonly [RedactionKind, Matcher])[] = [
  ["aadhaar", matchAadhaar],
  ["aadhaar_vid", matchAadhaarVid],
  ["card", matchCard],
  ["abha", matchAbha],
  ["uan", matchUan],
  ["us_ssn", matchUsSsn],
  ["bank_account", matchAccount],
  ["landline_in", matchLandline],
  ["phone_in", matchPhone],
];

/** The match that wins by the one rule for overlaps; all of these start at the same group. */
function bestMatch(site: NumberSite, ifscs: IfscPlaces, matchers: typeof MATCHERS): Found | null {
  let best: Found | null = null;
  for (const [kind, match] of matchers) best = better(best, kind, match(site, ifscs));
  return best === null && site.settings.bareAccountNumbers
    ? better(null, "bank_account", matchBareAccount(site))
    : best;
}

function better(best: Found | null, kind: RedactionKind, match: NumberMatch | null): Found | null {
  if (match === null) return best;
  const candidate: Found = { kind, start: match.start, end: match.end, last: match.last };
  return best === null || preference(candidate, best) < 0 ? candidate : best;
}

/** The last group of a number that `+` and another country's code begin; -1 if none does. */
function lastOfForeign(groups: DigitGroups, first: number): number {
  const { view } = groups;
  const start = groups.start(first);
  if (plusBefore(view, start) < 0 || (view.at(start) === 0x39 && view.at(start + 1) === 0x31)) return -1;
  let last = first;
  let total = groups.size(first);
  while ((groups.separator(last) & (TIGHT | BRACKET)) !== 0 && total + groups.size(last + 1) <= LONGEST_INTERNATIONAL) {
    total += groups.size(++last);
  }
  return last;
}

import type { Candidate } from "../candidate.js";
import type { RedactionKind } from "../kinds.js";
import type { Mask } from "../mask.js";
import { preference } from "../overlap.js";
import type { Settings } from "../settings.js";
import { BRACKET, type DigitGroups, OTHER_SEPARATOR, TIGHT } from "./digit-groups.js";
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
/** After a find, groups this far before it are looked at again if separators tied them to it. */
const STEP_BACK = 8;

/** The identifiers that are digits alone: Aadhaar, account, phone and card numbers, and the like. */
export function findNumbers(
  groups: DigitGroups,
  settings: Settings,
  ifscs: IfscPlaces,
  masks: readonly Mask[],
): Candidate[] {
  const soFar = new NumbersSoFar(groups, masks);
  const matchers = MATCHERS.filter(({ kind }) => settings.kinds.has(kind));
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
    const best = bestMatch(site, ifscs, matchers);
    if (best === null) {
      if (site.size >= SHORTEST_BARE) soFar.remember(group, site.around(group).label);
      continue;
    }
    const { kind, match } = best;
    found.push({ kind, start: match.start, end: match.end });
    // What this number kept from standing alone may stand alone now.
    const tied = firstTiedTo(groups, group);
    groups.claim(group, match.last);
    soFar.remember(match.last, labelOfKind(kind));
    group = tied - 1;
  }
  return found;
}

/** The first of the groups before `group` that separators tie to it. */
function firstTiedTo(groups: DigitGroups, group: number): number {
  let first = group;
  while (group - first < STEP_BACK && groups.separator(first - 1) !== OTHER_SEPARATOR) first--;
  return first;
}

/** Pairs need a label before them, and here there is another number before them. */
function isInsidePairs(groups: DigitGroups, group: number): boolean {
  return groups.size(group) === 2 && groups.size(group + 1) === 2 && (groups.separator(group - 1) & TIGHT) !== 0;
}

interface Matcher {
  readonly kind: RedactionKind;
  readonly find: (site: NumberSite, ifscs: IfscPlaces) => NumberMatch | null;
}

const MATCHERS: readonly Matcher[] = [
  { kind: "aadhaar", find: matchAadhaar },
  { kind: "aadhaar_vid", find: matchAadhaarVid },
  { kind: "card", find: matchCard },
  { kind: "abha", find: matchAbha },
  { kind: "uan", find: matchUan },
  { kind: "us_ssn", find: matchUsSsn },
  { kind: "bank_account", find: matchAccount },
  { kind: "landline_in", find: matchLandline },
  { kind: "phone_in", find: matchPhone },
];

/** What the matchers found at one site. */
interface Found {
  readonly kind: RedactionKind;
  readonly match: NumberMatch;
}

/** The match that wins by the one rule for overlaps; all of these start at the same group. */
function bestMatch(site: NumberSite, ifscs: IfscPlaces, matchers: readonly Matcher[]): Found | null {
  let best: Found | null = null;
  for (const { kind, find } of matchers) {
    const match = find(site, ifscs);
    if (match !== null && (best === null || isPreferred(kind, match, best))) best = { kind, match };
  }
  if (best !== null || !site.settings.bareAccountNumbers) return best;
  const match = matchBareAccount(site);
  return match === null ? null : { kind: "bank_account", match };
}

function isPreferred(kind: RedactionKind, { start, end }: NumberMatch, best: Found): boolean {
  return preference({ kind, start, end }, { kind: best.kind, start: best.match.start, end: best.match.end }) < 0;
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

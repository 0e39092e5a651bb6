import { LONGEST_ACCOUNT, looksLikeTimestamp, SHORTEST_ACCOUNT } from "../validators/bank-account.js";
import { isMobile } from "../validators/phone-in.js";
import { HYPHEN, TIGHT } from "./digit-groups.js";
import type { NumberMatch, NumberSite } from "./number-site.js";

/** Where IFSCs stand in the text: a number beside one is an account. */
export interface IfscPlaces {
  isNear(start: number, end: number): boolean;
}

/** 9 to 18 digits that an account label belongs to, or that stand beside an IFSC. */
export function matchAccount(site: NumberSite, ifscs: IfscPlaces): NumberMatch | null {
  const { groups, first } = site;
  if (site.size > LONGEST_ACCOUNT) return null;
  const last = lastGroup(site);
  if (last < 0) return null;
  if (site.hyphenBefore || site.hyphenAfter(last)) return null;

  if (!isAccount(site, last, ifscs)) return null;
  if (!site.settings.ignoreLabels && site.isSpokenFor(last)) return null;
  if (!site.around(last).direct) {
    const digits = groups.digits(first, last);
    if (isMobileForm(digits) || looksLikeTimestamp(digits)) return null;
  }
  return site.match(last);
}

/** 9 to 18 digits in one run, whatever is written around them. */
export function matchBareAccount(site: NumberSite): NumberMatch | null {
  const { first, size } = site;
  if (size < SHORTEST_ACCOUNT || size > LONGEST_ACCOUNT) return null;
  if (site.hyphenBefore || site.hyphenAfter(first)) return null;
  return site.match(first);
}

function isAccount(site: NumberSite, last: number, ifscs: IfscPlaces): boolean {
  const { label, direct } = site.around(last);
  const { moment } = site.before;
  if (label === "account") return !moment;
  if (label === "ifsc") return site.start < site.groups.end(last) - SHORTEST_ACCOUNT;
  // Nine digits beside an IFSC are its MICR code.
  if (moment || site.groups.total(site.first, last) === SHORTEST_ACCOUNT) return false;
  return (label === null || (label === "transfer" && !direct)) && ifscs.isNear(site.start, site.groups.end(last));
}

function isMobileForm(digits: string): boolean {
  return isMobile(digits) || (digits.length === 12 && digits.startsWith("91") && isMobile(digits.slice(2)));
}

/** The groups that make one number: a long run by itself (with what hyphens tie to it), or short runs of like size. */
function lastGroup(site: NumberSite): number {
  const { groups, first } = site;
  let total = site.size;
  let last = first;
  if (total >= SHORTEST_ACCOUNT) {
    while (groups.separator(last) === HYPHEN && total + groups.size(last + 1) <= LONGEST_ACCOUNT)
      total += groups.size(++last);
    return last;
  }
  if (total < 2) return -1;
  while ((groups.separator(last) & TIGHT) !== 0) {
    const next = groups.size(last + 1);
    if (next < 2 || next >= SHORTEST_ACCOUNT || total + next > LONGEST_ACCOUNT) break;
    if (total >= SHORTEST_ACCOUNT && next > groups.size(first) + 2) break;
    total += next;
    last++;
  }
  return total >= SHORTEST_ACCOUNT ? last : -1;
}

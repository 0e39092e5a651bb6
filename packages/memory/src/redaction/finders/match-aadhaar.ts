import { isAadhaar } from "../validators/aadhaar.js";
import { isAadhaarVid } from "../validators/aadhaar-vid.js";
import { isCard } from "../validators/card.js";
import { isMobile } from "../validators/phone-in.js";
import { COLON, DOT, type DigitGroups, LINE_BREAK, SLASH, SPACED_HYPHEN, TIGHT } from "./digit-groups.js";
import type { NumberMatch, NumberSite } from "./number-site.js";

const LENGTH = 12;
const TWO = 0x32;
const LABELLED = TIGHT | SPACED_HYPHEN | DOT | COLON | SLASH | LINE_BREAK;

/** Twelve digits, bare or 4-4-4; in other groups, with dots or over a line end only with a label. */
export function matchAadhaar(site: NumberSite): NumberMatch | null {
  const { groups, first } = site;
  if (site.size > LENGTH || groups.leading(first) < TWO) return null;
  const last = groups.join(first, LENGTH, LABELLED);
  if (last < 0) return null;
  if (site.hyphenBefore || site.hyphenAfter(last)) return null;
  const isBare = last === first;
  if (!isBare && !isUsualGrouping(groups, first, last) && !isLabelled(site, last)) return null;

  const digits = groups.digits(first, last);
  if (!isAadhaar(digits) && !(site.settings.labelledTypos && isLabelled(site, last))) return null;
  if (isBare && (site.isSpokenFor(last) || isDialled(site, last, digits))) return null;
  if (!isBare && isPartOfCard(site, last) && !isLabelled(site, last)) return null;
  return site.match(last);
}

function isLabelled(site: NumberSite, last: number): boolean {
  return site.around(last).label === "aadhaar";
}

/** 91 and a mobile number, and something says that it is dialled. */
function isDialled(site: NumberSite, last: number, digits: string): boolean {
  if (!digits.startsWith("91") || !isMobile(digits.slice(2))) return false;
  return (
    site.around(last).label === "phone" ||
    site.groups.urls.around(site.start) === "link" ||
    site.view.at(site.start - 1) === 0x2b
  );
}

function isUsualGrouping(groups: DigitGroups, first: number, last: number): boolean {
  if (last !== first + 2 || groups.size(first) !== 4 || groups.size(first + 1) !== 4) return false;
  const separators = [groups.separator(first), groups.separator(first + 1)];
  if (separators.every((separator) => (separator & TIGHT) !== 0)) return true;
  // 2341:2341:2346, unless it is the middle of an IPv6 address.
  return (
    separators.every((separator) => separator === COLON) &&
    groups.view.at(groups.start(first) - 1) !== 0x3a &&
    groups.view.at(groups.end(last)) !== 0x3a
  );
}

/** A fourth group of four next to it: sixteen digits are a card, a virtual id or a voucher, not an Aadhaar and a bit. */
function isPartOfCard(site: NumberSite, last: number): boolean {
  const { groups, first } = site;
  let before = 0;
  while (before < 6 && isFour(groups, first - before - 1, first - before - 1)) before++;
  let after = 0;
  while (after < 6 && isFour(groups, last + after, last + after + 1)) after++;
  if (before % 3 === 0 && after % 3 === 0) return false;
  if (before + after !== 1) return true;

  const neighbour = before === 1 ? first - 1 : last + 1;
  const all = groups.digits(Math.min(first, neighbour), Math.max(last, neighbour));
  return !isYear(groups.digits(neighbour, neighbour)) || isCard(all) || isAadhaarVid(all);
}

/** Whether `group` has four digits and the separator after `left` ties it to its neighbour. */
function isFour(groups: DigitGroups, left: number, group: number): boolean {
  return groups.size(group) === 4 && (groups.separator(left) & TIGHT) !== 0;
}

function isYear(digits: string): boolean {
  return /^(?:19|20)\d\d$/.test(digits);
}

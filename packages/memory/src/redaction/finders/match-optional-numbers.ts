import { isAadhaarVid } from "../validators/aadhaar-vid.js";
import { isAbhaNumber } from "../validators/abha.js";
import { CARD_LENGTHS, isCard } from "../validators/card.js";
import { isLandline } from "../validators/landline-in.js";
import { isUan } from "../validators/uan.js";
import { isUsSsn } from "../validators/us-ssn.js";
import { BRACKET, HYPHEN, LINE_BREAK, shapeOf, SPACED_HYPHEN, TIGHT } from "./digit-groups.js";
import { plusBefore } from "./match-phone.js";
import type { NumberMatch, NumberSite } from "./number-site.js";
import { withBrackets } from "./with-brackets.js";

const LABELLED = TIGHT | SPACED_HYPHEN | LINE_BREAK;

const VID_SHAPE = shapeOf(4, 4, 4, 4);
const ABHA_SHAPE = shapeOf(2, 4, 4, 4);
const SSN_SHAPE = shapeOf(3, 2, 4);

/** A network's prefix and length, and Luhn; bare or in the groups that cards are embossed in. */
export function matchCard(site: NumberSite): NumberMatch | null {
  const { groups, first } = site;
  for (const length of CARD_LENGTHS) {
    const last = groups.join(first, length, TIGHT);
    if (last < 0 || isTied(site, last) || !isCard(groups.digits(first, last))) continue;
    const { label } = site.around(last);
    if (last === first ? site.isSpokenFor(last) : label !== "card" && !EMBOSSED_SHAPES.has(groups.shape(first, last)))
      continue;
    const match = label === "vid" ? null : site.match(last);
    if (match !== null) return match;
  }
  return null;
}

const EMBOSSED_SHAPES: ReadonlySet<number> = new Set([
  shapeOf(4, 4, 4, 4),
  shapeOf(4, 6, 5),
  shapeOf(4, 6, 4),
  shapeOf(4, 4, 4, 4, 3),
  shapeOf(6, 13),
  shapeOf(4, 4, 5),
]);

/** Sixteen digits that pass Verhoeff; without a label only if they are no card. */
export function matchAadhaarVid(site: NumberSite): NumberMatch | null {
  const { groups, first } = site;
  const last = groups.join(first, 16, LABELLED);
  if (last < 0 || isTied(site, last)) return null;
  const digits = groups.digits(first, last);
  if (!isAadhaarVid(digits)) return null;
  const { label } = site.around(last);
  if (label !== "vid" && label !== "aadhaar") {
    if (isCard(digits) || site.isSpokenFor(last)) return null;
    if (last !== first && groups.shape(first, last) !== VID_SHAPE) return null;
  }
  return site.match(last);
}

/** Fourteen digits: grouped 2-4-4-4, or with a label. */
export function matchAbha(site: NumberSite): NumberMatch | null {
  const { groups, first } = site;
  const last = groups.join(first, 14, LABELLED);
  if (last < 0 || isTied(site, last) || !isAbhaNumber(groups.digits(first, last))) return null;
  const isGrouped = groups.shape(first, last) === ABHA_SHAPE && groups.separator(first) === HYPHEN;
  return isGrouped || site.around(last).label === "abha" ? site.match(last) : null;
}

/** Twelve digits with a label. */
export function matchUan(site: NumberSite): NumberMatch | null {
  const { groups, first } = site;
  const last = groups.join(first, 12, LABELLED);
  if (last < 0 || isTied(site, last) || !isUan(groups.digits(first, last))) return null;
  return site.around(last).label === "uan" ? site.match(last) : null;
}

/** 3-2-4 with hyphens; in another form only with a label. */
export function matchUsSsn(site: NumberSite): NumberMatch | null {
  const { groups, first } = site;
  const last = groups.join(first, 9, LABELLED);
  if (last < 0 || isTied(site, last) || !isUsSsn(groups.digits(first, last))) return null;
  const isHyphenated =
    groups.shape(first, last) === SSN_SHAPE &&
    groups.separator(first) === HYPHEN &&
    groups.separator(first + 1) === HYPHEN;
  return isHyphenated || site.around(last).label === "ssn" ? site.match(last) : null;
}

/** 0 or +91, an area code, a subscriber's number; with the area code apart or a label. */
export function matchLandline(site: NumberSite): NumberMatch | null {
  const { groups, first, view } = site;
  const plus = plusBefore(view, site.start);
  const code = plus >= 0 ? "91" : "0";
  const last = groups.join(first, code.length + 10, TIGHT | BRACKET);
  if (last < 0 || isTied(site, last)) return null;
  const digits = groups.digits(first, last);
  if (!digits.startsWith(code)) return null;
  const national = digits.slice(code.length);

  // The area code ends where the group that holds it ends: "022-…", "+91 22 …".
  const areaGroup = site.size === code.length ? first + 1 : first;
  const areaLength = groups.total(first, areaGroup) - code.length;
  const isApart = last > areaGroup && isLandline(national, areaLength);
  const { label } = site.around(last);
  const isLabelled = label === "landline" || label === "phone";
  if (!isApart && !(isLabelled && [2, 3, 4].some((length) => isLandline(national, length)))) return null;
  return withBrackets(site, plus >= 0 ? plus : site.start, last);
}

/** A hyphen ties the digits to more of them. */
function isTied(site: NumberSite, last: number): boolean {
  return site.hyphenBefore || site.hyphenAfter(last);
}

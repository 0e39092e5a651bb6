import { isMobileLead } from "../validators/phone-in.js";
import {
  BRACKET,
  DOT,
  type DigitGroups,
  HYPHEN,
  LINE_BREAK,
  shapeOf,
  SPACED_HYPHEN,
  SPACES,
  TIGHT,
} from "./digit-groups.js";
import type { NumberMatch, NumberSite } from "./number-site.js";
import { withBrackets } from "./with-brackets.js";

const MOBILE_LENGTH = 10;
const PLUS = 0x2b;
const SPACE = 0x20;
const ZERO = 0x30;
const SIX = 0x36;
const SEVEN = 0x37;
const EIGHT = 0x38;
const NINE = 0x39;

const UNLABELLED = TIGHT | BRACKET;
const WITH_CODE = TIGHT | BRACKET | SPACED_HYPHEN | DOT;
const LABELLED = WITH_CODE | LINE_BREAK;

/** How ten digits are written without anybody saying that they are a phone number. */
const USUAL_SHAPES: ReadonlySet<number> = new Set([shapeOf(10), shapeOf(5, 5), shapeOf(3, 3, 4), shapeOf(4, 3, 3)]);

/** +91, 0091, 91, 0 or nothing, then ten digits of which the first is 6 to 9. */
export function matchPhone(site: NumberSite): NumberMatch | null {
  const { view, start } = site;
  const plus = plusBefore(view, start);
  if (plus >= 0) return withPlus(site, plus);
  switch (view.at(start)) {
    case ZERO:
      return withCode(site) ?? withTrunkZero(site);
    case NINE:
      return withCode(site) ?? bare(site);
    case SIX:
    case SEVEN:
    case EIGHT:
      return bare(site);
    default:
      return null;
  }
}

/** Where the `+` before `start` is; -1 if there is none. */
export function plusBefore(view: NumberSite["view"], start: number): number {
  if (view.at(start - 1) === PLUS) return start - 1;
  return view.at(start - 1) === SPACE && view.at(start - 2) === PLUS && view.at(start - 3) <= SPACE ? start - 2 : -1;
}

function withPlus(site: NumberSite, plus: number): NumberMatch | null {
  const last = joinMobile(site, "91", WITH_CODE) ?? joinMobile(site, "910", WITH_CODE);
  if (last === null || site.hyphenAfter(last)) return null;
  return withBrackets(site, plus, last);
}

/** 0091 needs nothing more; 91 must be apart from the rest, or something must say that it is dialled. */
function withCode(site: NumberSite): NumberMatch | null {
  const { groups, first } = site;
  if (site.size === 1) return null;
  if (groups.leading(first) === ZERO) {
    const full = joinMobile(site, "0091", WITH_CODE);
    if (full !== null) return standing(site, full);
  }
  const code = groups.leading(first) === ZERO ? "091" : "91";
  const last = joinMobile(site, code, LABELLED) ?? (code === "91" ? joinMobile(site, "910", LABELLED) : null);
  if (last === null) return null;
  const isApart = site.size === code.length && isTight(groups, first) && isUsual(groups, first + 1, last, UNLABELLED);
  if (isApart || saysPhone(site, last) || groups.urls.around(site.start) === "link") return standing(site, last);
  return null;
}

/** The last group of `code` and a mobile number; `null` if that is not what the groups hold. */
function joinMobile(site: NumberSite, code: string, allowed: number): number | null {
  const { groups, first } = site;
  const last = groups.join(first, code.length + MOBILE_LENGTH, allowed);
  if (last < 0 || !isMobileLead(groups.digitAt(first, code.length))) return null;
  for (let place = 0; place < code.length; place++) {
    if (groups.digitAt(first, place) !== code.charCodeAt(place)) return null;
  }
  return last;
}

function withTrunkZero(site: NumberSite): NumberMatch | null {
  const { groups, first } = site;
  const last = joinMobile(site, "0", LABELLED);
  if (last === null) return null;
  const usual = isUsualAfterZero(groups, first, last);
  if (!usual && !saysPhone(site, last)) return null;
  if (last === first && site.isSpokenFor(last)) return null;
  return standing(site, last);
}

function bare(site: NumberSite): NumberMatch | null {
  const { groups, first } = site;
  const last = joinMobile(site, "", LABELLED);
  if (last === null) return null;

  if (first === last) {
    if (site.isSpokenFor(last)) return null;
    if (site.hyphenBefore && !isBareMobile(groups, first - 1)) return null;
    if (site.hyphenAfter(last) && !isBareMobile(groups, last + 1)) return null;
    return site.match(last);
  }

  if (site.hyphenBefore || site.hyphenAfter(last)) return null;
  if (!saysPhone(site, last)) {
    if (!isUsual(groups, first, last, UNLABELLED)) return null;
    if (isInTable(site, last) || isRange(groups, first, last) || isForeign(site)) return null;
    const { label, direct } = site.around(last);
    if (direct && label === "amount" && !site.settings.ignoreLabels) return null;
  }
  return withBrackets(site, site.start, last);
}

function standing(site: NumberSite, last: number): NumberMatch | null {
  if (site.hyphenBefore || site.hyphenAfter(last)) return null;
  return withBrackets(site, site.start, last);
}

/** A label says that this is a phone number, or at least a number. */
function saysPhone(site: NumberSite, last: number): boolean {
  const { label } = site.around(last);
  return label === "phone" || (label === null && site.before.numberWord);
}

function isUsual(groups: DigitGroups, first: number, last: number, allowed: number): boolean {
  if (!USUAL_SHAPES.has(groups.shape(first, last))) return false;
  for (let group = first; group < last; group++) {
    if ((groups.separator(group) & allowed) === 0) return false;
  }
  return true;
}

function isTight(groups: DigitGroups, group: number): boolean {
  return (groups.separator(group) & UNLABELLED) !== 0;
}

/** `0` apart from the rest or run into its first group. */
function isUsualAfterZero(groups: DigitGroups, first: number, last: number): boolean {
  if (first === last) return true;
  if (groups.size(first) === 1) return isTight(groups, first) && isUsual(groups, first + 1, last, UNLABELLED);
  const sizes: number[] = [];
  for (let group = first; group <= last; group++) sizes.push(groups.size(group) - (group === first ? 1 : 0));
  if (!USUAL_SHAPES.has(shapeOf(...sizes))) return false;
  for (let group = first; group < last; group++) {
    if ((groups.separator(group) & UNLABELLED) === 0) return false;
  }
  return true;
}

function isBareMobile(groups: DigitGroups, group: number): boolean {
  return groups.size(group) === MOBILE_LENGTH && isMobileLead(groups.leading(group));
}

/** More groups of five beside a 5-5: a row of numbers, unless all of them pair up. */
function isInTable(site: NumberSite, last: number): boolean {
  const { groups, first } = site;
  if (groups.size(first) !== 5) return false;
  const joins = (left: number): boolean => (groups.separator(left) & TIGHT) !== 0;
  let before = 0;
  while (before < 8 && joins(first - before - 1) && groups.size(first - before - 1) === 5) before++;
  let after = 0;
  while (after < 8 && joins(last + after) && groups.size(last + after + 1) === 5) after++;
  return before % 2 !== 0 || after % 2 !== 0;
}

/** `75000-90000` and `70000 80000` are amounts. */
function isRange(groups: DigitGroups, first: number, last: number): boolean {
  if (last !== first + 1 || groups.size(first) !== 5) return false;
  return groups.digits(first, first).endsWith("00") && groups.digits(last, last).endsWith("00");
}

/** `1 987 654 3210` and `1-(987) 654-3210`: the 1 is North America's. */
function isForeign(site: NumberSite): boolean {
  const { groups, first, view } = site;
  if (groups.size(first) === 5) return false;
  const separator = groups.separator(first - 1);
  return (
    (separator & (SPACES | HYPHEN | BRACKET)) !== 0 &&
    view.at(groups.start(first - 1)) === 0x31 &&
    groups.size(first - 1) === 1
  );
}

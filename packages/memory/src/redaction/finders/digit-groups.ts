import type { FoldedText } from "../folding/folded-text.js";
import { HIDDEN } from "../folding/hidden.js";
import { Urls } from "./urls.js";

/** What separates two groups of digits. Each is a bit, so that a rule names the set it allows. */
export const SPACES = 1;
export const HYPHEN = 2;
/** A hyphen with a space on one side, or two hyphens. */
export const LOOSE_HYPHEN = 4;
/** A hyphen with spaces on both sides. */
export const SPACED_HYPHEN = 8;
export const DOT = 16;
export const COLON = 32;
export const LINE_BREAK = 64;
export const BRACKET = 128;
export const SLASH = 256;
export const OTHER_SEPARATOR = 0;

/** What people put inside one number without saying so: one or two of space and hyphen. */
export const TIGHT = SPACES | HYPHEN | LOOSE_HYPHEN;

const ZERO = 0x30;
const WIDEST_SEPARATOR = 4;
/** No identifier of digits is longer. */
const MOST_DIGITS = 19;
const UNREACHABLE = -1;
/** More than a group of a number has digits; a number has so few groups that its shape stays exact. */
const SHAPE_BASE = 32;
/** In the place of a separator: the group belongs to something found. */
const CLAIMED = -1;

/** The runs of digits of a text, and what is between them. */
export class DigitGroups {
  readonly view: FoldedText;
  readonly urls: Urls;
  readonly count: number;
  /** Start and end of each group in turn. */
  readonly #bounds: readonly number[];
  /** For each group the separator after it, or `CLAIMED`. */
  readonly #separators: number[];
  /** Of the group last asked about: for each number of digits, the group that reaches it and the separators on the way. */
  readonly #reached: number[] = [];
  readonly #crossed: number[] = [];
  #reachedFrom = UNREACHABLE;

  constructor(view: FoldedText, bounds: readonly number[]) {
    this.view = view;
    this.urls = new Urls(view);
    this.count = bounds.length / 2;
    this.#bounds = bounds;
    this.#separators = new Array<number>(this.count).fill(CLAIMED);
    let isNextFree = false;
    for (let group = this.count - 1; group >= 0; group--) {
      const isFree = view.at(this.start(group)) !== HIDDEN;
      if (isFree) {
        this.#separators[group] = isNextFree
          ? separatorOf(view, this.end(group), this.start(group + 1))
          : OTHER_SEPARATOR;
      }
      isNextFree = isFree;
    }
  }

  start(group: number): number {
    return this.#bounds[group * 2] as number;
  }

  end(group: number): number {
    return this.#bounds[group * 2 + 1] as number;
  }

  size(group: number): number {
    return group >= 0 && group < this.count ? this.end(group) - this.start(group) : 0;
  }

  /** Takes groups out of the game: what is claimed is no neighbour to anything. */
  claim(first: number, last: number): void {
    if (first > 0 && !this.isClaimed(first - 1)) this.#separators[first - 1] = OTHER_SEPARATOR;
    for (let group = first; group <= last; group++) this.#separators[group] = CLAIMED;
    this.#reachedFrom = UNREACHABLE;
  }

  isClaimed(group: number): boolean {
    return this.#separators[group] === CLAIMED;
  }

  /** The separator between `group` and the next one. */
  separator(group: number): number {
    if (group < 0 || group >= this.count) return OTHER_SEPARATOR;
    const separator = this.#separators[group] as number;
    return separator === CLAIMED ? OTHER_SEPARATOR : separator;
  }

  /**
   * The last of the groups from `first` on that hold exactly `total` digits with only `allowed` separators between;
   * -1 if there is none. A lone digit is part of a number only at its start, or as the zero after a country code.
   */
  join(first: number, total: number, allowed: number): number {
    if (this.size(first) >= total) return this.size(first) === total ? first : -1;
    if (this.separator(first) === OTHER_SEPARATOR) return -1;
    if (this.#reachedFrom !== first) this.#reach(first);
    const last = this.#reached[total] as number;
    return last !== UNREACHABLE && ((this.#crossed[total] as number) & ~allowed) === 0 ? last : -1;
  }

  /** Whether the groups from `first` on can hold `total` digits or more at all. */
  reaches(first: number, total: number): boolean {
    if (this.size(first) >= total) return true;
    if (this.separator(first) === OTHER_SEPARATOR) return false;
    if (this.#reachedFrom !== first) this.#reach(first);
    for (let digits = total; digits <= MOST_DIGITS; digits++) {
      if (this.#reached[digits] !== UNREACHABLE) return true;
    }
    return false;
  }

  #reach(first: number): void {
    for (let digits = 0; digits <= MOST_DIGITS; digits++) this.#reached[digits] = UNREACHABLE;
    this.#reachedFrom = first;
    let total = this.size(first);
    let last = first;
    let crossed = 0;
    while (total <= MOST_DIGITS) {
      this.#reached[total] = last;
      this.#crossed[total] = crossed;
      const separator = this.separator(last);
      const next = this.size(last + 1);
      if (separator === OTHER_SEPARATOR || (next === 1 && last > first)) return;
      if (next === 1 && this.view.at(this.start(last + 1)) !== ZERO) return;
      crossed |= separator;
      total += next;
      last++;
    }
  }

  /** How many digits the groups from `first` to `last` hold. */
  total(first: number, last: number): number {
    let total = 0;
    for (let group = first; group <= last; group++) total += this.size(group);
    return total;
  }

  /** The digits of the groups from `first` to `last`. */
  digits(first: number, last: number): string {
    let digits = this.view.slice(this.start(first), this.end(first));
    for (let group = first + 1; group <= last; group++) digits += this.view.slice(this.start(group), this.end(group));
    return digits;
  }

  /** The digit that `group` begins with, as a code. */
  leading(group: number): number {
    return this.view.at(this.start(group));
  }

  /** The digit at `place` of the number that begins with group `first`, as a code; the number must be that long. */
  digitAt(first: number, place: number): number {
    let group = first;
    let rest = place;
    while (rest >= this.size(group)) rest -= this.size(group++);
    return this.view.at(this.start(group) + rest);
  }

  /** The sizes of the groups from `first` to `last`, as `shapeOf` writes them. */
  shape(first: number, last: number): number {
    let shape = 0;
    for (let group = first; group <= last; group++) shape = shape * SHAPE_BASE + this.size(group);
    return shape;
  }
}

/** The sizes of groups as one number, so that no text is made to compare forms such as 5-5. */
export function shapeOf(...sizes: readonly number[]): number {
  return sizes.reduce((shape, size) => shape * SHAPE_BASE + size, 0);
}

function separatorOf(view: FoldedText, start: number, end: number): number {
  const width = end - start;
  if (width > WIDEST_SEPARATOR) return OTHER_SEPARATOR;
  if (width === 1) {
    switch (view.at(start)) {
      case 0x20:
        return SPACES;
      case 0x2d:
        return HYPHEN;
      case 0x2e:
        return DOT;
      case 0x3a:
        return COLON;
      case 0x2f:
        return SLASH;
      case 0x0a:
      case 0x0d:
        return LINE_BREAK;
      case 0x28:
      case 0x29:
        return BRACKET;
      default:
        return OTHER_SEPARATOR;
    }
  }
  let spaces = 0;
  let hyphens = 0;
  let breaks = 0;
  let returns = 0;
  let brackets = 0;
  for (let index = start; index < end; index++) {
    const code = view.at(index);
    if (code === 0x20) spaces++;
    else if (code === 0x2d) hyphens++;
    else if (code === 0x0a) breaks++;
    else if (code === 0x0d) returns++;
    else if (code === 0x28 || code === 0x29) brackets++;
    else return OTHER_SEPARATOR;
  }
  if (breaks + returns > 0)
    return breaks <= 1 && returns <= 1 && brackets === 0 && hyphens <= 1 ? LINE_BREAK : OTHER_SEPARATOR;
  if (brackets > 0) return brackets <= 2 && hyphens <= 1 ? BRACKET : OTHER_SEPARATOR;
  if (hyphens === 0) return spaces <= 2 ? SPACES : OTHER_SEPARATOR;
  if (width === 2) return LOOSE_HYPHEN;
  return width === 3 && hyphens === 1 && view.at(start) === 0x20 && view.at(end - 1) === 0x20
    ? SPACED_HYPHEN
    : OTHER_SEPARATOR;
}

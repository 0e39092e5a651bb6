import type { FoldedText } from "../folding/folded-text.js";
import { HIDDEN } from "../folding/folded-text.js";

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

/** The runs of digits of a text, and what is between them. */
export class DigitGroups {
  readonly view: FoldedText;
  readonly count: number;
  /** Start and end of each group in turn. */
  readonly #bounds: readonly number[];
  /** For each group the separator after it. */
  readonly #separators: number[] = [];
  /** Groups that belong to something found. */
  readonly #claimed: boolean[] = [];
  /** Of the group last asked about: for each number of digits, the group that reaches it and the separators on the way. */
  readonly #reached: number[] = new Array<number>(MOST_DIGITS + 1).fill(UNREACHABLE);
  readonly #crossed: number[] = new Array<number>(MOST_DIGITS + 1).fill(0);
  #reachedFrom = UNREACHABLE;

  constructor(view: FoldedText, bounds: readonly number[]) {
    this.view = view;
    this.count = bounds.length / 2;
    this.#bounds = bounds;
    for (let group = 0; group < this.count; group++) this.#claimed.push(view.at(this.start(group)) === HIDDEN);
    for (let group = 0; group < this.count; group++) {
      const isAlone = this.isClaimed(group) || group + 1 === this.count || this.isClaimed(group + 1);
      this.#separators.push(isAlone ? OTHER_SEPARATOR : separatorOf(view, this.end(group), this.start(group + 1)));
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
    this.#claimed.fill(true, first, last + 1);
    if (first > 0) this.#separators[first - 1] = OTHER_SEPARATOR;
    this.#separators.fill(OTHER_SEPARATOR, first, last + 1);
    this.#reachedFrom = UNREACHABLE;
  }

  isClaimed(group: number): boolean {
    return this.#claimed[group] === true;
  }

  /** The separator between `group` and the next one. */
  separator(group: number): number {
    return group >= 0 && group < this.count ? (this.#separators[group] as number) : OTHER_SEPARATOR;
  }

  /**
   * The last of the groups from `first` on that hold exactly `total` digits with only `allowed` separators between;
   * -1 if there is none. A lone digit is part of a number only at its start, or as the zero after a country code.
   */
  join(first: number, total: number, allowed: number): number {
    if (this.#reachedFrom !== first) this.#reach(first);
    const last = this.#reached[total] as number;
    return last !== UNREACHABLE && ((this.#crossed[total] as number) & ~allowed) === 0 ? last : -1;
  }

  /** Whether the groups from `first` on can hold `total` digits or more at all. */
  reaches(first: number, total: number): boolean {
    if (this.#reachedFrom !== first) this.#reach(first);
    for (let digits = total; digits <= MOST_DIGITS; digits++) {
      if (this.#reached[digits] !== UNREACHABLE) return true;
    }
    return false;
  }

  #reach(first: number): void {
    this.#reached.fill(UNREACHABLE);
    this.#reachedFrom = first;
    let total = this.size(first);
    let last = first;
    let crossed = 0;
    while (total <= MOST_DIGITS) {
      this.#reached[total] = last;
      this.#crossed[total] = crossed;
      const separator = this.#separators[last] as number;
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

  /** The sizes of the groups from `first` to `last`, as in `5-5`. */
  shape(first: number, last: number): string {
    let shape = String(this.size(first));
    for (let group = first + 1; group <= last; group++) shape += `-${this.size(group)}`;
    return shape;
  }
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

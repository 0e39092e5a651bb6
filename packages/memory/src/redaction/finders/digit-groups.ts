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
export const OTHER_SEPARATOR = 0;

/** What people put inside one number without saying so: one or two of space and hyphen. */
export const TIGHT = SPACES | HYPHEN | LOOSE_HYPHEN;

const WIDEST_SEPARATOR = 4;
const MOST_GROUPS = 12;

/** The runs of digits of a text, and what is between them. */
export class DigitGroups {
  readonly view: FoldedText;
  readonly count: number;
  readonly #bounds: readonly number[];
  /** 1 for each group that belongs to something found. */
  readonly #claimed: Uint8Array;

  constructor(view: FoldedText, bounds: readonly number[]) {
    const live: number[] = [];
    for (let index = 0; index < bounds.length; index += 2) {
      const start = bounds[index] ?? 0;
      if (view.at(start) !== HIDDEN) live.push(start, bounds[index + 1] ?? 0);
    }
    this.view = view;
    this.#bounds = live;
    this.count = live.length / 2;
    this.#claimed = new Uint8Array(this.count);
  }

  claim(first: number, last: number): void {
    this.#claimed.fill(1, first, last + 1);
  }

  isClaimed(group: number): boolean {
    return this.#claimed[group] === 1;
  }

  start(group: number): number {
    return this.#bounds[group * 2] ?? this.view.length;
  }

  end(group: number): number {
    return this.#bounds[group * 2 + 1] ?? this.view.length;
  }

  size(group: number): number {
    return group >= 0 && group < this.count ? this.end(group) - this.start(group) : 0;
  }

  /** The separator between `group` and the next one. What is claimed is no neighbour to anything. */
  separator(group: number): number {
    if (group < 0 || group + 1 >= this.count) return OTHER_SEPARATOR;
    if (this.isClaimed(group) || this.isClaimed(group + 1)) return OTHER_SEPARATOR;
    return separatorOf(this.view, this.end(group), this.start(group + 1));
  }

  /**
   * The last of the groups from `first` on that hold exactly `total` digits with only `allowed` separators between;
   * -1 if there is none.
   */
  join(first: number, total: number, allowed: number): number {
    let digits = this.size(first);
    let last = first;
    while (digits < total) {
      if (last - first >= MOST_GROUPS || (this.separator(last) & allowed) === 0) return -1;
      last++;
      digits += this.size(last);
    }
    return digits === total ? last : -1;
  }

  /** The digits of the groups from `first` to `last`. */
  digits(first: number, last: number): string {
    let digits = "";
    for (let group = first; group <= last; group++) digits += this.view.slice(this.start(group), this.end(group));
    return digits;
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
  if (breaks + returns > 0) return breaks <= 1 && returns <= 1 && brackets === 0 && hyphens <= 1 ? LINE_BREAK : OTHER_SEPARATOR;
  if (brackets > 0) return brackets <= 2 && hyphens <= 1 ? BRACKET : OTHER_SEPARATOR;
  if (hyphens === 0) return spaces <= 2 ? SPACES : OTHER_SEPARATOR;
  if (width === 2) return LOOSE_HYPHEN;
  return width === 3 && hyphens === 1 && view.at(start) === 0x20 && view.at(end - 1) === 0x20
    ? SPACED_HYPHEN
    : OTHER_SEPARATOR;
}

import { isQuantity, lookAhead } from "../context/look-ahead.js";
import { type Before, lookBack } from "../context/look-back.js";
import { type Surroundings, weigh } from "../context/surroundings.js";
import type { Label } from "../context/vocabulary.js";
import type { FoldedText } from "../folding/folded-text.js";
import type { Settings } from "../settings.js";
import { mayEnd, mayStart } from "./boundaries.js";
import { type DigitGroups, HYPHEN } from "./digit-groups.js";

/** What a finder of numbers has found: the groups it covers and the characters, which may begin with `+` or `(`. */
export interface NumberMatch {
  readonly last: number;
  readonly start: number;
  readonly end: number;
}

/** Answers what is known of an identifier or number that ends at a position. */
export interface ListLabels {
  labelEndingAt(position: number, group: number): Label | null;
}

/** One place where an identifier of digits may begin: the groups from `first` on, and what is around them. */
export class NumberSite {
  readonly groups: DigitGroups;
  readonly first: number;
  readonly start: number;
  readonly size: number;
  readonly settings: Settings;
  readonly #lists: ListLabels;
  #before: Before | null = null;
  #around: Surroundings | null = null;
  #aroundLast = -1;

  constructor(groups: DigitGroups, first: number, settings: Settings, lists: ListLabels) {
    this.groups = groups;
    this.first = first;
    this.start = groups.start(first);
    this.size = groups.size(first);
    this.settings = settings;
    this.#lists = lists;
  }

  get view(): FoldedText {
    return this.groups.view;
  }

  /** What stands before the number, in the same clause. */
  get before(): Before {
    this.#before ??= lookBack(this.view, this.start);
    return this.#before;
  }

  /** What the clause says of the number that starts here and ends with group `last`. */
  around(last: number): Surroundings {
    if (this.#around === null || this.#aroundLast !== last) {
      const { before } = this;
      const isSaid = before.label !== null && before.direct;
      const after = isSaid ? null : lookAhead(this.view, this.groups.end(last));
      const listed = before.listAfter < 0 ? null : this.#lists.labelEndingAt(before.listAfter, this.first - 1);
      this.#around = weigh(before, after, listed);
      this.#aroundLast = last;
    }
    return this.#around;
  }

  /** The groups from here to `last` as a match, if they are not part of something longer. */
  match(last: number, start = this.start): NumberMatch | null {
    const end = this.groups.end(last);
    if (start === this.start && !mayStart(this.view, start)) return null;
    return mayEnd(this.view, end) ? { last, start, end } : null;
  }

  get hyphenBefore(): boolean {
    return this.groups.separator(this.first - 1) === HYPHEN;
  }

  hyphenAfter(last: number): boolean {
    return this.groups.separator(last) === HYPHEN;
  }

  /** A bare number that its label, its unit or its URL says is something else (decisions D1 and D2). */
  isSpokenFor(last: number): boolean {
    if (this.settings.ignoreLabels) return false;
    const { label, direct } = this.around(last);
    if (direct && (label === "reference" || label === "transfer" || label === "amount")) return true;
    if (label === null && this.before.hash) return true;
    if (isQuantity(this.view, this.groups.end(last))) return true;
    return label !== "phone" && label !== "aadhaar" && this.groups.urls.around(this.start) === "other";
  }
}

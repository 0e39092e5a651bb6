import { isQuantity } from "../context/look-ahead.js";
import { type LabelsSoFar, readSurroundings, type Surroundings } from "../context/surroundings.js";
import type { FoldedText } from "../folding/folded-text.js";
import type { Settings } from "../settings.js";
import { mayEnd, mayStart, urlAround } from "./boundaries.js";
import { type DigitGroups, HYPHEN } from "./digit-groups.js";

/** What a finder of numbers has found: the groups it covers and the characters, which may begin with `+` or `(`. */
export interface NumberMatch {
  readonly last: number;
  readonly start: number;
  readonly end: number;
}

/** One place where an identifier of digits may begin: the groups from `first` on, and what is around them. */
export class NumberSite {
  readonly groups: DigitGroups;
  readonly first: number;
  readonly settings: Settings;
  readonly #soFar: LabelsSoFar;
  #surroundings: Surroundings | null = null;
  #readTo = -1;

  constructor(groups: DigitGroups, first: number, settings: Settings, soFar: LabelsSoFar) {
    this.groups = groups;
    this.first = first;
    this.settings = settings;
    this.#soFar = soFar;
  }

  get view(): FoldedText {
    return this.groups.view;
  }

  get start(): number {
    return this.groups.start(this.first);
  }

  get size(): number {
    return this.groups.size(this.first);
  }

  /** What the clause says of the number that starts here and ends with group `last`. */
  around(last: number, start = this.start): Surroundings {
    if (this.#surroundings === null || this.#readTo !== last) {
      this.#surroundings = readSurroundings(this.view, start, this.groups.end(last), this.#soFar);
      this.#readTo = last;
    }
    return this.#surroundings;
  }

  /** The groups from here to `last` as a match, if they are not part of something longer. */
  match(last: number, start = this.start, end = this.groups.end(last)): NumberMatch | null {
    if (start === this.start && !mayStart(this.view, start)) return null;
    if (end === this.groups.end(last) && !mayEnd(this.view, end)) return null;
    return { last, start, end };
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
    const { label, direct, hash } = this.around(last);
    if (direct && (label === "reference" || label === "transfer" || label === "amount")) return true;
    if (hash || isQuantity(this.view, this.groups.end(last))) return true;
    return urlAround(this.view, this.start) === "other" && label !== "phone" && label !== "aadhaar";
  }
}

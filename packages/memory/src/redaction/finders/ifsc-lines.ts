import type { Candidate } from "../candidate.js";
import type { FoldedText } from "../folding/folded-text.js";
import type { Mask } from "../mask.js";
import type { IfscPlaces } from "./match-account.js";

const REACH = 120;
const LINE_FEED = 0x0a;

/** Answers whether an IFSC, masked or not, stands on the same line as a number or on the one before or after. */
export class IfscLines implements IfscPlaces {
  readonly #view: FoldedText;
  readonly #places: readonly Candidate[];

  constructor(view: FoldedText, masks: readonly Mask[], codes: readonly Candidate[]) {
    this.#view = view;
    this.#places = [...masks, ...codes].filter(({ kind }) => kind === "ifsc").sort((a, b) => a.start - b.start);
  }

  isNear(start: number, end: number): boolean {
    if (this.#places.length === 0) return false;
    // The first place that ends after the number starts; the one before it is the nearest on the left.
    let low = 0;
    let high = this.#places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#places[middle]?.end ?? 0) <= start) low = middle + 1;
      else high = middle;
    }
    const left = this.#places[low - 1];
    const right = this.#places[low];
    return (
      (left !== undefined && this.#isClose(left.end, start)) || (right !== undefined && this.#isClose(end, right.start))
    );
  }

  #isClose(from: number, to: number): boolean {
    if (to - from > REACH) return false;
    let lines = 0;
    for (let index = from; index < to; index++) {
      if (this.#view.at(index) === LINE_FEED && ++lines > 1) return false;
    }
    return true;
  }
}

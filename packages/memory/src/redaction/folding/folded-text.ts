import { characterEnd } from "./characters-of-input.js";
import { HIDDEN } from "./hidden.js";

/**
 * How folded positions differ from those of the input: from folded position `at[n]` on they are `shift[n]` less. Only
 * the places where the difference changes are kept.
 */
export interface Shifts {
  readonly at: readonly number[];
  readonly shift: readonly number[];
}

/** The part of the input that is folded, and where it starts there. */
interface Source {
  readonly text: string;
  readonly offset: number;
}

/**
 * The text as the finders see it: every decimal digit, space, dash and full-width form in its ASCII shape, invisible
 * units left out. Positions here are not positions in the input; `inputStart` and `inputEnd` lead back.
 */
export class FoldedText {
  readonly codes: Uint16Array;
  readonly length: number;
  readonly #shifts: Shifts;
  readonly #source: Source;

  constructor(codes: Uint16Array, length: number, shifts: Shifts, source: Source) {
    this.codes = codes;
    this.length = length;
    this.#shifts = shifts;
    this.#source = source;
  }

  /** The folded unit at `index`; 0 outside the text. */
  at(index: number): number {
    return index >= 0 && index < this.length ? (this.codes[index] as number) : 0;
  }

  /** Where the folded unit at `index` starts in the input. */
  inputStart(index: number): number {
    return this.#source.offset + this.#place(index);
  }

  /** Where the folded unit before `end` ends in the input, with the marks stacked on it if it is a digit. */
  inputEnd(end: number): number {
    const { text, offset } = this.#source;
    return offset + characterEnd(text, this.#place(end - 1));
  }

  #place(index: number): number {
    const { at, shift } = this.#shifts;
    let low = 0;
    let high = at.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((at[middle] as number) <= index) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? index : index + (shift[low - 1] as number);
  }

  /** The folded units from `start` to `end`. */
  slice(start: number, end: number): string {
    const { codes } = this;
    const last = Math.min(end, this.length);
    let index = Math.max(0, start);
    let slice = "";
    for (; index + 4 <= last; index += 4) {
      slice += String.fromCharCode(
        codes[index] as number,
        codes[index + 1] as number,
        codes[index + 2] as number,
        codes[index + 3] as number,
      );
    }
    for (; index < last; index++) slice += String.fromCharCode(codes[index] as number);
    return slice;
  }

  /** The same in upper case, where that is ASCII. */
  upper(start: number, end: number): string {
    return this.slice(start, end).toUpperCase();
  }

  /** Hides what has been claimed, so that nothing claims it again and no label is read out of it. */
  hide(start: number, end: number): void {
    for (let index = start; index < end; index++) this.codes[index] = HIDDEN;
  }
}

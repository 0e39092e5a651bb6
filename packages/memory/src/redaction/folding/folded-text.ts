/** What `fold` hands over. */
export interface Folded {
  readonly codes: Uint16Array;
  readonly length: number;
  readonly verbatim: boolean;
  readonly starts: Int32Array | null;
  readonly ends: Int32Array | null;
}

/**
 * The text as the finders see it: every decimal digit, space, dash and full-width form in its ASCII shape, invisible
 * units left out. Positions here are not positions in the input; `inputStart` and `inputEnd` lead back.
 */
export class FoldedText {
  readonly input: string;
  readonly codes: Uint16Array;
  readonly length: number;
  /** Every folded unit is the input's own. */
  readonly #verbatim: boolean;
  /** `null` while every unit stands where it stood in the input. */
  readonly #starts: Int32Array | null;
  readonly #ends: Int32Array | null;

  constructor(input: string, folded: Folded) {
    this.input = input;
    this.codes = folded.codes;
    this.length = folded.length;
    this.#verbatim = folded.verbatim;
    this.#starts = folded.starts;
    this.#ends = folded.ends;
  }

  /** The folded unit at `index`; 0 outside the text. */
  at(index: number): number {
    return index >= 0 && index < this.length ? (this.codes[index] as number) : 0;
  }

  /** Where the folded unit at `index` starts in the input. */
  inputStart(index: number): number {
    return this.#starts === null ? index : (this.#starts[index] as number);
  }

  /** Where the folded unit before `end` ends in the input, with the marks that were stacked on it. */
  inputEnd(end: number): number {
    return this.#ends === null ? end : (this.#ends[end - 1] as number);
  }

  /** The folded units from `start` to `end`. */
  slice(start: number, end: number): string {
    if (this.#verbatim) return this.input.slice(start, end);
    let slice = "";
    for (let index = start; index < end; index++) slice += String.fromCharCode(this.codes[index] as number);
    return slice;
  }

  /** Hides what has been claimed, so that nothing claims it again and no label is read out of it. */
  hide(start: number, end: number): void {
    this.codes.fill(HIDDEN, start, end);
  }
}

/** Stands for a unit of an identifier that is already claimed, or of a mask. It is a noncharacter in Unicode. */
export const HIDDEN = 0xfffe;

import { DECIMAL_ZEROS } from "./decimal-digits.js";

/** In the table: the unit stands for itself. */
export const KEEP = 0;
/** In the table: the unit is invisible and takes no place in the folded view. */
export const DROP = 0xffff;

const SPACE = 0x20;
const HYPHEN = 0x2d;
const FULL_STOP = 0x2e;
const DIGIT_ZERO = 0x30;

/** For each unit of the basic plane above ASCII: what it folds to. Written once, here, and only read afterwards. */
export const FOLD_TABLE: Uint16Array = buildTable();

/** Digits outside the basic plane, by code point. */
const ASTRAL_DIGITS: ReadonlyMap<number, number> = buildAstralDigits();

/** What a code point above U+FFFF folds to: an ASCII digit, `DROP`, or `KEEP`. */
export function foldAstral(codePoint: number): number {
  // Tag characters: invisible, and usable to hide one number inside another.
  if (codePoint >= 0xe0000 && codePoint <= 0xe0fff) return DROP;
  return ASTRAL_DIGITS.get(codePoint) ?? KEEP;
}

function buildTable(): Uint16Array {
  const table = new Uint16Array(0x10000);
  const range = (first: number, last: number, to: (unit: number) => number): void => {
    for (let unit = first; unit <= last; unit++) table[unit] = to(unit);
  };
  const each = (units: readonly number[], to: number): void => {
    for (const unit of units) table[unit] = to;
  };

  range(0xff01, 0xff5e, (unit) => unit - 0xfee0); // full-width ASCII
  for (const zero of DECIMAL_ZEROS) {
    if (zero < 0x10000) range(zero, zero + 9, (unit) => DIGIT_ZERO + (unit - zero));
  }

  each([0x00a0, 0x1680, 0x202f, 0x205f, 0x3000], SPACE);
  range(0x2000, 0x200a, () => SPACE);
  each([0x2028, 0x2029, 0x0085], 0x0a);

  range(0x2010, 0x2015, () => HYPHEN);
  each([0x00ad, 0x034f, 0x061c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xfeff, 0xffa0], DROP);
  each([0x2043, 0x2212, 0xfe58, 0xfe63], HYPHEN);
  each([0x3002, 0xff61, 0x2024, 0xfe52], FULL_STOP);
  each([0xfe6b], 0x40);

  range(0x180b, 0x180f, () => DROP);
  range(0x200b, 0x200f, () => DROP);
  range(0x202a, 0x202e, () => DROP);
  range(0x2060, 0x206f, () => DROP);
  range(0xfe00, 0xfe0f, () => DROP);
  range(0xfff9, 0xfffb, () => DROP);
  return table;
}

function buildAstralDigits(): ReadonlyMap<number, number> {
  const digits = new Map<number, number>();
  for (const zero of DECIMAL_ZEROS) {
    if (zero < 0x10000) continue;
    for (let value = 0; value < 10; value++) digits.set(zero + value, DIGIT_ZERO + value);
  }
  return digits;
}

import { HIDDEN } from "./hidden.js";

/** Classes of ASCII, for the loops that look at every unit. */
export const OTHER = 0;
export const DIGIT = 1;
export const LETTER = 2;
export const ASCII_CLASS: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) =>
  isDigit(code) ? DIGIT : isLetter(code) ? LETTER : OTHER,
);

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** A letter of ASCII. */
export function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

export function isUpper(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

export function isLower(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

export function isAlphanumeric(code: number): boolean {
  return code < 128 && ASCII_CLASS[code] !== OTHER;
}

/** A letter or mark of any script in the basic plane. Symbols, punctuation and surrogates are not. */
export function isWordUnit(code: number): boolean {
  if (code < 0x80) return ASCII_CLASS[code] === LETTER;
  if (code < 0xc0) return code === 0xaa || code === 0xb5 || code === 0xba;
  if (code === 0xd7 || code === 0xf7 || code === 0x0964 || code === 0x0965) return false;
  if (code >= 0x2000 && code < 0x2c00) return false;
  if (code >= 0x3000 && code < 0x3040) return false;
  if (code >= 0xd800 && code < 0xf900) return false;
  return code !== HIDDEN && code < 0xfff0;
}

/**
 * Scripts that nobody mixes with Latin letters inside one word: those of India, and those written without spaces
 * (kana, Han, Thai, Lao, Khmer). Greek and Cyrillic letters are not among them: they are used to imitate Latin ones.
 */
export function isApartFromLatin(code: number): boolean {
  return (code >= 0x0900 && code < 0x0f00) || (code >= 0x1780 && code < 0x1800) || (code >= 0x3040 && code < 0xa4d0);
}

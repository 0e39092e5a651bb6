import { isAlphanumeric } from "./characters.js";

/** A written-out character: what it means and how many units of the text it takes. */
interface Escape {
  readonly code: number;
  readonly width: number;
}

/** HTML character references. */
const REFERENCES: readonly { readonly text: string; readonly code: number }[] = [
  { text: "&#64;", code: 0x40 },
  { text: "&#x40;", code: 0x40 },
  { text: "&commat;", code: 0x40 },
  { text: "&#43;", code: 0x2b },
  { text: "&#160;", code: 0x20 },
  { text: "&#xa0;", code: 0x20 },
  { text: "&nbsp;", code: 0x20 },
];

const PERCENT = 0x25;
const AT = 0x40;
const PLUS = 0x2b;
const BACKSLASH = 0x5c;
/** JSON and source text: `\n`, `\r` and `\t` before a number are a break, not a letter run into it. */
const BACKSLASH_LETTERS: ReadonlyMap<number, number> = new Map([
  [0x6e, 0x0a],
  [0x72, 0x0a],
  [0x74, 0x20],
]);

/** The escape that starts at `index` of `text`, if one does. */
export function escapeAt(text: string, index: number): Escape | null {
  if (text.charCodeAt(index) === BACKSLASH) {
    const code = BACKSLASH_LETTERS.get(text.charCodeAt(index + 1));
    return code !== undefined && startsNumber(text.charCodeAt(index + 2)) ? { code, width: 2 } : null;
  }
  if (text.charCodeAt(index) === PERCENT) return percentEscape(text, index);
  for (const escape of REFERENCES) {
    if (hasAt(text, escape.text, index)) return { code: escape.code, width: escape.text.length };
  }
  return null;
}

/** RFC 3986, section 2.1: `%40` and `%2B` anywhere, other ASCII symbols where a number follows. */
function percentEscape(text: string, index: number): Escape | null {
  const high = hexValue(text.charCodeAt(index + 1));
  const low = hexValue(text.charCodeAt(index + 2));
  if (high < 0 || low < 0) return null;
  const code = high * 16 + low;
  const isSymbol = code === 0x0a || code === 0x0d || (code >= 0x20 && code < 0x7f && !isAlphanumeric(code));
  if (!isSymbol || (code !== AT && code !== PLUS && !startsNumber(text.charCodeAt(index + 3)))) return null;
  return { code, width: 3 };
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}

function startsNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2b;
}

function hasAt(text: string, expected: string, index: number): boolean {
  for (let offset = 0; offset < expected.length; offset++) {
    const code = text.charCodeAt(index + offset);
    const lower = code >= 0x41 && code <= 0x5a ? code + 32 : code;
    if (lower !== expected.charCodeAt(offset)) return false;
  }
  return true;
}

/** A written-out character: what it means and how many units of the text it takes. */
interface Escape {
  readonly code: number;
  readonly width: number;
}

const ESCAPES: readonly { readonly text: string; readonly code: number }[] = [
  // URLs (RFC 3986, section 2.1).
  { text: "%40", code: 0x40 },
  { text: "%2b", code: 0x2b },
  { text: "%20", code: 0x20 },
  // HTML character references.
  { text: "&#64;", code: 0x40 },
  { text: "&#x40;", code: 0x40 },
  { text: "&commat;", code: 0x40 },
  { text: "&#43;", code: 0x2b },
  { text: "&#160;", code: 0x20 },
  { text: "&#xa0;", code: 0x20 },
  { text: "&nbsp;", code: 0x20 },
];

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
  for (const escape of ESCAPES) {
    if (hasAt(text, escape.text, index)) return { code: escape.code, width: escape.text.length };
  }
  return null;
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

import { escapeAt } from "./escapes.js";
import { DROP, FOLD_TABLE, foldAstral, KEEP } from "./fold-table.js";
import { FoldedText } from "./folded-text.js";

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const MARK = /^\p{M}$/u;

/**
 * Folds `text` in one pass. Marks that follow a digit are dropped (a stacked mark would split a number in two); those
 * in words stay, because Devanagari vowels are marks. Text that needs no folding costs no index map.
 */
export function fold(text: string): FoldedText {
  const size = text.length;
  const codes = new Uint16Array(size);
  let starts: Int32Array | null = null;
  let ends: Int32Array | null = null;
  let length = 0;
  let verbatim = true;

  const startMapping = (): { starts: Int32Array; ends: Int32Array } => {
    const mapping = { starts: new Int32Array(size), ends: new Int32Array(size) };
    for (let index = 0; index < length; index++) {
      mapping.starts[index] = index;
      mapping.ends[index] = index + 1;
    }
    return mapping;
  };

  let index = 0;
  while (index < size) {
    const unit = text.charCodeAt(index);
    let code = unit;
    let width = 1;
    if (unit < 0x80) {
      if (unit === PERCENT || unit === AMPERSAND || unit === BACKSLASH) {
        const escape = escapeAt(text, index);
        if (escape !== null) ({ code, width } = escape);
      }
    } else if (unit >= 0xd800 && unit <= 0xdbff) {
      const codePoint = text.codePointAt(index) ?? unit;
      const folded = codePoint > 0xffff ? foldAstral(codePoint) : KEEP;
      if (folded !== KEEP) {
        code = folded;
        width = 2;
      }
    } else {
      const folded = FOLD_TABLE[unit] as number;
      if (folded !== KEEP) code = folded;
    }

    const stacked = code >= 0x300 && length > 0 && isDigit(codes[length - 1] as number) && isStacked(code, unit);
    if (code === DROP || stacked) {
      if (starts === null || ends === null) ({ starts, ends } = startMapping());
      if (stacked && ends[length - 1] === index) ends[length - 1] = index + width;
    } else {
      if (width > 1 && starts === null) ({ starts, ends } = startMapping());
      if (starts !== null && ends !== null) {
        starts[length] = index;
        ends[length] = index + width;
      }
      if (code !== unit) verbatim = false;
      codes[length++] = code;
    }
    index += width;
  }
  return new FoldedText(text, { codes, length, verbatim: verbatim && starts === null, starts, ends });
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** A mark, or a variation selector (which counts as one and is dropped anyway), on the digit before it. */
function isStacked(code: number, unit: number): boolean {
  if (unit >= 0xd800 && unit <= 0xdfff) return false;
  return (code !== DROP || (unit >= 0xfe00 && unit <= 0xfe0f)) && MARK.test(String.fromCharCode(unit));
}

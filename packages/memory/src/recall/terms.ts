/**
 * The terms of a text, the same in every store: letters, the marks on them and digits, case-folded and in
 * compatibility form (NFKC). There is no stemming and no stop list. The time is linear in the text.
 *
 * - A term is a maximal run of letters, marks and digits, so a Hindi word keeps its vowel signs and virama, and
 *   "INV-42" is "inv" and "42". Invisible joiners inside a word are dropped, an invisible space divides.
 * - Decimal digits of Indic and Arabic scripts count by their value: "४२" is "42".
 * - Scripts written without spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer, Burmese) give each character and each
 *   pair of neighbours: a word is found inside a longer run, and its letters in another order count for less.
 */
export function distinctTerms(text: string): readonly string[] {
  if (!BEYOND_ASCII.test(text)) return [...new Set(text.toLowerCase().match(ASCII_TERM))];
  const terms = new Set<string>();
  for (const run of fold(text).match(TERM) ?? []) {
    if (UNSPACED.test(run)) addUnspaced(run, terms);
    else terms.add(run);
  }
  return [...terms];
}

const BEYOND_ASCII = /\P{ASCII}/u;
const ASCII_TERM = /[a-z0-9]+/g;
const TERM = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30FC\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const CHARACTER = /[\p{L}\p{N}]\p{M}*/gu;

// A zero-width space (U+200B) is not dropped: it marks the end of a word where no other space is written.
const INVISIBLE = /(?!\u200B)\p{Default_Ignorable_Code_Point}/gu;
const FOREIGN_DIGIT =
  /[\u0660-\u0669\u06F0-\u06F9\u0966-\u096F\u09E6-\u09EF\u0A66-\u0A6F\u0AE6-\u0AEF\u0B66-\u0B6F\u0BE6-\u0BEF\u0C66-\u0C6F\u0CE6-\u0CEF\u0D66-\u0D6F]/g;

// Lower case is taken after NFKC, which may bring capitals out of ligatures and full-width forms, and NFKC again
// after it, because folding may leave a letter and its mark apart.
function fold(text: string): string {
  return text
    .replace(INVISIBLE, "")
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("ς", "σ")
    .normalize("NFKC")
    .replace(FOREIGN_DIGIT, digitByValue);
}

// Ten digits in a row each: the Arabic ones begin at a code point that ends in 0, the Indic ones at one that ends in 6.
function digitByValue(digit: string): string {
  const code = digit.charCodeAt(0);
  return String(code < 0x900 ? code & 0xf : (code & 0xf) - 6);
}

function addUnspaced(run: string, terms: Set<string>): void {
  let before = "";
  let spelled = "";
  for (const character of run.match(CHARACTER) ?? []) {
    if (UNSPACED.test(character)) {
      if (spelled !== "") terms.add(spelled);
      spelled = "";
      terms.add(character);
      if (before !== "") terms.add(before + character);
      before = character;
    } else {
      spelled += character;
      before = "";
    }
  }
  if (spelled !== "") terms.add(spelled);
}

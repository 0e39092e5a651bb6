import { firstCharacters } from "../text/first-characters.js";

/**
 * Text from outside, safe to print on a terminal: control characters (which move the cursor, set colours or worse)
 * and characters that reverse the reading direction are shown as `\u{…}`.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu, (character) => {
    if (character === "\n") return " ⏎ ";
    if (character === "\t") return " ";
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** At most so many characters, with an ellipsis where something was cut. */
export function shorten(text: string, characters: number): string {
  if (firstCharacters(text, characters) === null) return text;
  return `${firstCharacters(text, characters - 1) ?? text}…`;
}

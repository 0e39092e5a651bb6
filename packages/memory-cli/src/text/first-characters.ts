const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The first characters of a text as a reader counts them, so that no letter loses its vowel sign; `null`: that is all of it. */
export function firstCharacters(text: string, count: number): string | null {
  let seen = 0;
  for (const { index } of GRAPHEMES.segment(text)) {
    if (seen === count) return text.slice(0, index);
    seen += 1;
  }
  return null;
}

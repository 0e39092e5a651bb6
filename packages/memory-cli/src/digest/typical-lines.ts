import type { RememberedLine } from "./remembered.js";
import { countWords, frequentWords, tellingWords } from "./terms.js";

/** The lines that share most words with the others, and those words. */
export interface Typical {
  readonly lines: readonly RememberedLine[];
  readonly words: readonly string[];
}

/**
 * Picks the lines that say what many others say too: each line scores the mean number of lines its telling words
 * occur in. No model and no randomness: the same lines give the same choice, and every word of it was said by somebody.
 *
 * @param perPerson at most so many lines of one person
 */
export function typicalLines(lines: readonly RememberedLine[], options: { limit: number; perPerson: number }): Typical {
  const words = lines.map((line) => tellingWords(line.text));
  const counts = countWords(words);
  const ranked = lines
    .map((line, index) => ({ line, index, score: score(words[index] ?? [], counts) }))
    .sort((a, b) => b.score - a.score || a.index - b.index);

  const taken = new Map<string, number>();
  const picked: typeof ranked = [];
  for (const candidate of ranked) {
    if (picked.length === options.limit) break;
    const soFar = taken.get(candidate.line.subjectKey) ?? 0;
    if (soFar >= options.perPerson) continue;
    taken.set(candidate.line.subjectKey, soFar + 1);
    picked.push(candidate);
  }
  return { lines: picked.sort((a, b) => a.index - b.index).map(({ line }) => line), words: frequentWords(counts, 5) };
}

/** Very short lines share a common word easily, so the mean is taken over at least four words. */
function score(words: readonly string[], counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const word of words) sum += counts.get(word) ?? 0;
  return sum / Math.max(words.length, 4);
}

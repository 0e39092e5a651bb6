const ASCII = /^[\x20-\x7e]*$/;
const NUKTA = /\u093c/g;

/** A word as the vocabulary spells it: lower case, Devanagari letters without the dot that few people type. */
export function plainWord(word: string): string {
  return ASCII.test(word) ? word.toLowerCase() : word.normalize("NFD").replace(NUKTA, "").toLowerCase();
}

/**
 * What a word of English is counted as where inflections do not matter: plural and past tense, "-ing" and "-ly" taken
 * off. Light on purpose: it does not know "went", and it leaves words of other alphabets alone. The same for the stem
 * itself, so that a form stands for its stem wherever it occurs.
 */
export function englishStem(word: string): string {
  if (!STEMMABLE.test(word)) return word;
  let stem = singular(word);
  if (stem.length > 4 && stem.endsWith("ied")) stem = `${stem.slice(0, -3)}y`;
  else if (endsAfterVowel(stem, "ing")) stem = undoubled(stem.slice(0, -3));
  else if (endsAfterVowel(stem, "ed")) stem = undoubled(stem.slice(0, -2));
  else if (stem.length > 5 && stem.endsWith("ly")) stem = stem.slice(0, -2);
  if (stem.length > 3 && stem.endsWith("e")) stem = stem.slice(0, -1);
  return stem.length > 3 && stem.endsWith("y") ? `${stem.slice(0, -1)}i` : stem;
}

/**
 * The word and the inflected forms that are counted as the same. A query is expanded with them, so that nothing about
 * stems has to be stored: the index holds whole terms alone, and rows need not be written anew.
 */
export function englishForms(word: string): readonly string[] {
  const stem = englishStem(word);
  const forms = new Set([word]);
  for (const base of basesOf(stem)) {
    const bare = base.endsWith("e") ? base.slice(0, -1) : base;
    const soft = base.endsWith("y") ? `${base.slice(0, -1)}i` : bare;
    const double = bare + bare.slice(-1);
    for (const form of [
      base,
      `${base}s`,
      `${soft}es`,
      `${soft}ed`,
      `${bare}ing`,
      `${double}ed`,
      `${double}ing`,
      `${base}ly`,
    ]) {
      if (englishStem(form) === stem) forms.add(form);
    }
  }
  return [...forms];
}

const STEMMABLE = /^[a-z]{4,}$/;
const DOUBLED = /([bdfgkmnprt])\1$/;

function singular(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

/** Whether the ending comes after a syllable of its own: "ring" and "bed" are whole words. */
function endsAfterVowel(word: string, ending: string): boolean {
  const before = word.slice(0, -ending.length);
  return before.length >= 3 && word.endsWith(ending) && /[aeiouy]/.test(before);
}

function undoubled(stem: string): string {
  return DOUBLED.test(stem) ? stem.slice(0, -1) : stem;
}

function basesOf(stem: string): readonly string[] {
  return [stem, `${stem}e`, ...(stem.endsWith("i") ? [`${stem.slice(0, -1)}y`] : [])];
}

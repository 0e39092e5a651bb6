/** What a redactor leaves in place of an identifier. It is not a word anybody said. */
const MASK = /\[[A-Z_]+:[^\]\s]{0,16}\]/g;

/** Words too common to say what a text is about, in English, Hindi, and Hindi in Latin letters. */
const COMMON = new Set(
  `about above after again all also and any are because been before being but can could did does doing down each for from
  get got had has have having her here hers him his how its just let like more most much not now off once only other our
  out over own please really same say she should some such than thank thanks that the their them then there these they
  this those through too under until very was were what when where which while who whom why will with would you your
  yes yeah one two lot know think going want well good great see too i'm don't it's that's
  hai hain tha thi the toh bhi aur mein mera meri mere aap aapka nahi kar karo kya kab kaun koi wala wale wali raha rahe
  rahi gaya gayi liye abhi pehle baar jaise isi usi pakka sab yeh woh diya liya hua kal aaj bhej maine
  है हैं था थी थे का की के को में से पर और भी नहीं क्या कर या हो गई गया मेरा मेरी मेरे आप यह वह जो तो ही एक आज कब कौन इस उस लिए
  रहा रही रहे हूँ कृपया हर`.split(/\s+/),
);

const WORD = /[\p{L}\p{M}][\p{L}\p{M}'’]*/gu;

/** The distinct telling words of a text, lower-cased, in the order they occur. */
export function tellingWords(text: string): readonly string[] {
  const words = text.replace(MASK, " ").toLowerCase().match(WORD) ?? [];
  return [...new Set(words.filter((word) => word.length >= shortest(word) && !COMMON.has(word)))];
}

/** A vowel sign counts as a character, so two of them make a word in most scripts but the Latin. */
function shortest(word: string): number {
  return /\p{Script=Latin}/u.test(word) ? 3 : 2;
}

/** In how many of the texts each telling word occurs. */
export function countWords(texts: Iterable<readonly string[]>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const words of texts) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The words that occur in most texts, of those in at least two; ties in alphabetical order. */
export function frequentWords(counts: ReadonlyMap<string, number>, limit: number): readonly string[] {
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([word]) => word);
}

/**
 * Whether ASCII digits have the form of an Ayushman Bharat Health Account number: fourteen, the first not zero
 * (National Health Authority). No public check rule is confirmed, so a label or the grouping 2-4-4-4 is asked for.
 */
export function isAbhaNumber(digits: string): boolean {
  return /^[1-9]\d{13}$/.test(digits);
}

/** The words after the `@` of an ABHA address. */
export function isAbhaDomain(word: string): boolean {
  return /^(?:abdm|sbx)$/i.test(word);
}

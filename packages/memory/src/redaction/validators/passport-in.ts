/**
 * Whether eight ASCII characters in upper case are the number of an Indian passport: a letter, then seven digits of
 * which the first and the last are not zero (Passport Seva). It has no check digit.
 */
export function isPassport(text: string): boolean {
  return /^[A-Z][1-9]\d{5}[1-9]$/.test(text);
}

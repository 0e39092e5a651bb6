const SHORTEST_IBAN = 15;
const LONGEST_IBAN = 34;

/** Whether ASCII characters in upper case without spaces are an IBAN: ISO 13616, check digits by ISO 7064 mod 97-10. */
export function isIban(text: string): boolean {
  if (text.length < SHORTEST_IBAN || text.length > LONGEST_IBAN || !/^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(text)) return false;
  let remainder = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

import { passesLuhn } from "./luhn.js";

/**
 * Whether ten ASCII characters in upper case are a voter's number (EPIC): three letters and seven digits, the last the
 * Luhn check digit of the six before (Election Commission of India).
 */
export function isVoterId(text: string): boolean {
  return /^[A-Z]{3}\d{7}$/.test(text) && passesLuhn(text.slice(3));
}

import { isStateLetters } from "./indian-states.js";

/**
 * Whether fifteen ASCII characters in upper case, separators left out, are an Indian driving licence: state, office of
 * two digits, year of issue, seven digits (Sarathi, Ministry of Road Transport).
 */
export function isDrivingLicence(text: string): boolean {
  return /^[A-Z]{2}\d{2}(?:19|20)\d{9}$/.test(text) && isStateLetters(text.slice(0, 2));
}

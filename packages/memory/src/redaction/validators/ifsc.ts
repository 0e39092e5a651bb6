import { BANK_CODES } from "./bank-codes.js";

const IFSC = /^[A-Z]{4}0[A-Z0-9]{6}$/;

/**
 * Whether eleven ASCII characters in upper case have the form of an Indian Financial System Code: four letters of the
 * bank, a zero, six letters or digits of the branch (Reserve Bank of India). It has no check digit.
 */
export function isIfsc(text: string): boolean {
  return IFSC.test(text);
}

/** Whether the first four letters are those of a bank this package knows. */
export function isKnownBank(code: string): boolean {
  return BANK_CODES.has(code);
}

import { isPan } from "./pan.js";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ENTITY = /^[1-9A-Z]$/;

/**
 * Whether fifteen ASCII characters in upper case are a GST identification number: state code 01 to 38, 97 or 99, a
 * PAN, an entity number, a class character, and a check character (GSTN: weights 1 and 2 in turn, each product
 * reduced to the sum of its base-36 digits, modulo 36).
 */
export function isGstin(text: string): boolean {
  return hasGstinShape(text) && text.charAt(14) === gstinCheckCharacter(text.slice(0, 14));
}

/** The same without the check character: what a mistyped GSTIN looks like. */
export function hasGstinShape(text: string): boolean {
  return (
    text.length === 15 && isStateCode(text.slice(0, 2)) && isPan(text.slice(2, 12)) && ENTITY.test(text.charAt(12))
  );
}

/** The check character for the first fourteen characters of a GSTIN; `""` if one of them is not a digit or letter. */
export function gstinCheckCharacter(body: string): string {
  let sum = 0;
  for (let index = 0; index < body.length; index++) {
    const value = ALPHABET.indexOf(body.charAt(index));
    if (value < 0) return "";
    const product = value * (index % 2 === 0 ? 1 : 2);
    sum += Math.floor(product / 36) + (product % 36);
  }
  return ALPHABET.charAt((36 - (sum % 36)) % 36);
}

/** GST state codes: 01 to 38 are states and territories, 97 "other territory", 99 the centre. */
function isStateCode(code: string): boolean {
  const number = /^\d\d$/.test(code) ? Number(code) : 0;
  return (number >= 1 && number <= 38) || number === 97 || number === 99;
}

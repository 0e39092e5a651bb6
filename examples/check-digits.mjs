/**
 * Completes made-up Indian identifiers with the check characters their published rules ask for, so that sample data
 * exercises the checksum rules without copying anybody's identifier.
 *
 *   node examples/check-digits.mjs aadhaar 36427185904
 *   node examples/check-digits.mjs gstin 27AAKPR4821M1Z
 */
import { pathToFileURL } from "node:url";

const BASE_36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The product of two elements of the dihedral group of order ten, on which the Verhoeff scheme is built. */
function dihedral(a, b) {
  if (a < 5) return b < 5 ? (a + b) % 5 : 5 + ((a + b) % 5);
  return b < 5 ? 5 + ((a - b + 10) % 5) : (a - b + 5) % 5;
}

/** Verhoeff's permutation, applied `times` times. */
function permute(digit, times) {
  let value = digit;
  for (let i = 0; i < times % 8; i++) value = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4][value];
  return value;
}

/** Eleven digits, the first from 2 to 9, completed to the twelve of an Aadhaar number (Verhoeff). */
export function aadhaar(eleven) {
  if (!/^[2-9]\d{10}$/.test(eleven)) throw new TypeError("expected eleven digits, the first from 2 to 9");
  let sum = 0;
  [...eleven].reverse().forEach((digit, index) => {
    sum = dihedral(sum, permute(Number(digit), index + 1));
  });
  const check = [...BASE_36.slice(0, 10)].find((digit) => dihedral(sum, Number(digit)) === 0);
  return eleven + check;
}

/** Fourteen characters (state code, PAN, entity, "Z") completed to the fifteen of a GSTIN (mod 36). */
export function gstin(fourteen) {
  if (!/^\d{2}[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z][1-9A-Z]Z$/.test(fourteen)) {
    throw new TypeError("expected a state code, a PAN, an entity character and Z");
  }
  let sum = 0;
  [...fourteen].forEach((character, index) => {
    const product = BASE_36.indexOf(character) * (index % 2 === 0 ? 1 : 2);
    sum += Math.floor(product / 36) + (product % 36);
  });
  return fourteen + BASE_36[(36 - (sum % 36)) % 36];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const complete = { aadhaar, gstin }[process.argv[2] ?? ""];
  if (complete === undefined || process.argv[3] === undefined) {
    console.error("usage: node examples/check-digits.mjs aadhaar ELEVEN_DIGITS | gstin FOURTEEN_CHARACTERS");
    process.exitCode = 2;
  } else {
    console.log(complete(process.argv[3]));
  }
}

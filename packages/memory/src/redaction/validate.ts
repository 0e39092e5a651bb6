import { fold } from "./folding/fold.js";
import { isAadhaar } from "./validators/aadhaar.js";
import { isGstin } from "./validators/gstin.js";
import { isIfsc } from "./validators/ifsc.js";
import { isPan } from "./validators/pan.js";

const GROUPED_AADHAAR = /^\d{4}[ -]\d{4}[ -]\d{4}$/;

/**
 * Whether `text` is exactly one Aadhaar number: twelve digits of any script, bare or 4-4-4 with spaces or hyphens, the
 * first 2 to 9, with a correct Verhoeff check digit. No context is asked for.
 */
export function isValidAadhaar(text: string): boolean {
  const folded = folding(text);
  return isAadhaar(GROUPED_AADHAAR.test(folded) ? folded.replace(/[ -]/g, "") : /^\d{12}$/.test(folded) ? folded : "");
}

/** Whether `text` is exactly one PAN in either case: `AAAAA9999A` with a real holder type in fourth place. */
export function isValidPan(text: string): boolean {
  return isPan(folding(text).toUpperCase());
}

/** Whether `text` is exactly one GSTIN in either case: state code, valid PAN, entity, class and mod-36 check character. */
export function isValidGstin(text: string): boolean {
  return isGstin(folding(text).toUpperCase());
}

/** Whether `text` has exactly the form of an IFSC in either case: `AAAA0XXXXXX`. The bank is not looked up. */
export function isValidIfsc(text: string): boolean {
  return isIfsc(folding(text).toUpperCase());
}

function folding(text: unknown): string {
  if (typeof text !== "string") return "";
  const view = fold(text);
  return view.slice(0, view.length);
}

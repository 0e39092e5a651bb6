import { passesVerhoeff } from "./verhoeff.js";

/** Whether sixteen ASCII digits are an Aadhaar virtual id: first 2 to 9, Verhoeff (UIDAI, circular of 11 January 2018). */
export function isAadhaarVid(digits: string): boolean {
  return digits.length === 16 && digits.charCodeAt(0) >= 0x32 && passesVerhoeff(digits);
}

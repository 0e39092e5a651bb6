import { isStateLetters } from "./indian-states.js";

/**
 * Whether ASCII characters in upper case, separators left out, are an Indian number plate: state, district of one or
 * two digits, up to three letters without I and O, a number of one to four digits that is not zero; or the BH series,
 * year, `BH`, four digits, one or two letters (Central Motor Vehicles Rules, rule 50 and the notification of 2021).
 */
export function isVehicleRegistration(text: string): boolean {
  if (/^\d{2}BH\d{4}[A-HJ-NP-Z]{1,2}$/.test(text)) return true;
  const plate = /^([A-Z]{2})\d{1,2}[A-HJ-NP-Z]{0,3}(\d{1,4})$/.exec(text);
  return plate !== null && isStateLetters(plate[1] ?? "") && Number(plate[2]) > 0;
}

/**
 * Whether ten ASCII digits are an area code of India and a subscriber's number: a landline begins with 1 to 8, its
 * subscriber part with 2 to 7 (Department of Telecommunications, National Numbering Plan). `areaLength` says how many
 * digits the area code has: two to four.
 */
export function isLandline(digits: string, areaLength: number): boolean {
  const subscriber = digits.charCodeAt(areaLength);
  return /^[1-8]\d{9}$/.test(digits) && areaLength >= 2 && areaLength <= 4 && subscriber >= 0x32 && subscriber <= 0x37;
}

/** Whether ASCII digits have the form of a provident fund's Universal Account Number: twelve, the first 1 (EPFO). */
export function isUan(digits: string): boolean {
  return /^1\d{11}$/.test(digits);
}

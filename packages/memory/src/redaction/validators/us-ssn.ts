/**
 * Whether nine ASCII digits are a United States social security number: area not 000, 666 or 900 to 999, group not 00,
 * serial not 0000 (Social Security Administration, POMS RM 10201.035).
 */
export function isUsSsn(digits: string): boolean {
  return /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits);
}

/**
 * Whether ten ASCII digits are an Indian mobile number: the first is 6, 7, 8 or 9 (Department of Telecommunications,
 * National Numbering Plan). 44 % of random ten-digit numbers that do not begin with zero are.
 */
export function isMobile(digits: string): boolean {
  return digits.length === 10 && isMobileLead(digits.charCodeAt(0));
}

/** Whether a digit, as a character code, may begin a mobile number. */
export function isMobileLead(code: number): boolean {
  return code >= 0x36 && code <= 0x39;
}

const PAN = /^[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]$/;

/**
 * Whether ten ASCII characters in upper case are an Indian income-tax Permanent Account Number: five letters of which
 * the fourth is a holder type (A, B, C, F, G, H, J, L, P or T: Income Tax Department, "Know your PAN"), four digits,
 * one letter. No public check digit exists.
 */
export function isPan(text: string): boolean {
  return PAN.test(text);
}

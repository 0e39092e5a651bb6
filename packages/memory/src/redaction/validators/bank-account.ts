/** Indian bank account numbers have no common form or check digit; those in use have 9 to 18 digits. */
export const SHORTEST_ACCOUNT = 9;
export const LONGEST_ACCOUNT = 18;

/**
 * Whether `digits` reads as a moment: `YYYYMMDDhhmm[ss]`, or the milliseconds since 1970 of a day between 2001 and
 * 2033. Such a number needs a label directly before it to be taken for an account.
 */
export function looksLikeTimestamp(digits: string): boolean {
  if (digits.length === 13) return digits.startsWith("1");
  if (digits.length !== 12 && digits.length !== 14) return false;
  const month = Number(digits.slice(4, 6));
  const day = Number(digits.slice(6, 8));
  return (
    /^(?:19|20)/.test(digits) &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= 31 &&
    Number(digits.slice(8, 10)) < 24 &&
    Number(digits.slice(10, 12)) < 60
  );
}

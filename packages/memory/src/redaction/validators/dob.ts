const MONTHS: readonly string[] = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** The number of a month by its English name or a short form of three letters or more; 0 if it is none. */
export function monthOf(word: string): number {
  const short = word.toLowerCase().slice(0, 3);
  const month = MONTHS.indexOf(short) + 1;
  return month > 0 && FULL_MONTHS[month - 1]?.startsWith(word.toLowerCase()) === true ? month : 0;
}

const FULL_MONTHS: readonly string[] =
  "january february march april may june july august september october november december".split(" ");

/** Whether a day of the Gregorian calendar could be somebody's birthday: a year of 1900 to 2099, or two digits of one. */
export function isDayOfBirth(year: string, month: number, day: number): boolean {
  const isYear = /^(?:19|20)\d\d$/.test(year) || /^\d\d$/.test(year);
  return (
    isYear &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= (month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31)
  );
}

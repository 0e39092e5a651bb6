const DAY = 86_400_000;
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** A calendar period: a key that sorts by time, and a name to print. */
export interface Period {
  readonly key: string;
  readonly title: string;
}

const UNDATED: Period = { key: "undated", title: "without a date" };

/** The ISO 8601 week (Monday to Sunday, UTC) that holds an instant. */
export function weekOf(at: string | null): Period {
  if (at === null) return UNDATED;
  const { thursday, year } = thursdayOf(at);
  const newYear = new Date(thursday).setUTCMonth(0, 1);
  const week = Math.floor((thursday - newYear) / (7 * DAY)) + 1;
  const monday = thursday - 3 * DAY;
  return {
    key: `${String(year).padStart(4, "0")}-W${String(week).padStart(2, "0")}`,
    title: `${shortDay(monday)} to ${shortDay(monday + 6 * DAY)}`,
  };
}

/** The month of the Thursday of an instant's week, so that every week belongs to exactly one month. */
export function monthOf(at: string | null): Period {
  if (at === null) return UNDATED;
  const { thursday, year } = thursdayOf(at);
  const month = new Date(thursday).getUTCMonth();
  return {
    key: `${String(year).padStart(4, "0")}-${String(month + 1).padStart(2, "0")}`,
    title: `${MONTHS[month] ?? ""} ${year}`,
  };
}

/** An instant's day, for people. */
export function dayOf(at: string): string {
  return shortDay(Date.parse(at));
}

function thursdayOf(at: string): { thursday: number; year: number } {
  const midnight = Math.floor(Date.parse(at) / DAY) * DAY;
  const weekday = (new Date(midnight).getUTCDay() + 6) % 7;
  const thursday = midnight + (3 - weekday) * DAY;
  return { thursday, year: new Date(thursday).getUTCFullYear() };
}

function shortDay(time: number): string {
  const date = new Date(time);
  return `${date.getUTCDate()} ${(MONTHS[date.getUTCMonth()] ?? "").slice(0, 3)} ${date.getUTCFullYear()}`;
}

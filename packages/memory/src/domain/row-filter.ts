import type { JsonValue, Metadata } from "./rows.js";

/** What a top-level value of `metadata` must be. All that is given must hold. */
export interface MetadataCondition {
  /** Whether the key is there, whatever its value, `null` included. */
  readonly exists?: boolean;
  /** One of these values. */
  readonly in?: readonly (string | number | boolean | null)[];
  /** A range holds for values of the bound's own type alone. Strings are ordered by code point. */
  readonly gt?: number | string;
  readonly gte?: number | string;
  readonly lt?: number | string;
  readonly lte?: number | string;
}

/** Conditions on metadata, by key. */
export type MetadataConditions = { readonly [key: string]: MetadataCondition };

/** From an instant, inclusive, to another, exclusive; ISO 8601 in UTC with milliseconds. */
export interface Period {
  readonly from: string | null;
  readonly to: string | null;
}

/** Which rows a recall or a list is about, besides whose they are. What is absent or `null` does not matter. */
export interface RowFilter {
  readonly kinds?: readonly string[] | null;
  /** Rows whose metadata contains these top-level values. */
  readonly metadata?: Metadata | null;
  readonly where?: MetadataConditions | null;
  /** When the row was stored. */
  readonly createdAt?: Period | null;
  /** When the content came to be. Rows that do not say, derived rows among them, do not match. */
  readonly capturedAt?: Period | null;
}

export function isWithin(period: Period | null | undefined, instant: string | null): boolean {
  if (period === null || period === undefined) return true;
  if (instant === null) return false;
  return (period.from === null || instant >= period.from) && (period.to === null || instant < period.to);
}

export function meetsConditions(metadata: Metadata, where: MetadataConditions): boolean {
  return Object.entries(where).every(([key, condition]) => {
    return meets(Object.hasOwn(metadata, key) ? metadata[key] : undefined, condition);
  });
}

function meets(value: JsonValue | undefined, condition: MetadataCondition): boolean {
  if (condition.exists !== undefined && condition.exists !== (value !== undefined)) return false;
  if (condition.in !== undefined && !condition.in.some((wanted) => wanted === value)) return false;
  const holds = (bound: number | string | undefined, wanted: (order: number) => boolean): boolean => {
    if (bound === undefined) return true;
    const order = orderOf(value, bound);
    return order !== null && wanted(order);
  };
  return (
    holds(condition.gt, (order) => order > 0) &&
    holds(condition.gte, (order) => order >= 0) &&
    holds(condition.lt, (order) => order < 0) &&
    holds(condition.lte, (order) => order <= 0)
  );
}

/** Negative, 0 or positive; `null` where the two have no order. */
function orderOf(value: JsonValue | undefined, bound: number | string): number | null {
  if (typeof value === "number" && typeof bound === "number") return value - bound;
  if (typeof value === "string" && typeof bound === "string") return codePointOrder(value, bound);
  return null;
}

// Not `<`: JavaScript compares UTF-16 units, in which a surrogate sorts before U+E000.
function codePointOrder(a: string, b: string): number {
  for (let i = 0; ; i++) {
    const [left, right] = [a.codePointAt(i), b.codePointAt(i)];
    if (left === undefined || right === undefined) return (left ?? -1) - (right ?? -1);
    if (left !== right) return left - right;
  }
}

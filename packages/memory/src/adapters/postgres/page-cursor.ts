import { InvalidInputError } from "../../errors.js";

/** Where a page ended: a time with all its microseconds, and an id. */
export interface PageEnd {
  readonly at: string;
  readonly id: string;
}

const SHAPE = /^\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?\+00:00\|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function encodeCursor(end: PageEnd): string {
  return btoa(`${end.at}|${end.id}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function decodeCursor(cursor: string | null): PageEnd | null {
  if (cursor === null) return null;
  let decoded = "";
  try {
    decoded = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    // Falls through to the refusal below.
  }
  if (!SHAPE.test(decoded)) throw new InvalidInputError("cursor", "is not one that a former page returned");
  const [at = "", id = ""] = decoded.split("|");
  return { at, id };
}

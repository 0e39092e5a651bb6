import { InvalidInputError } from "../../errors.js";
import type { Page } from "../../domain/rows.js";
import type { Position } from "./row-table.js";

/** Which list a cursor belongs to: a page of memories does not continue in a list of receipts. */
export type CursorList = "memories" | "derived" | "receipts";

const SHAPE = /^([a-z]+) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f-]{36})$/u;

/** Where the next page starts, as an opaque word. */
export function encodeCursor(list: CursorList, { createdAt, id }: Position): string {
  return btoa(`${list} ${createdAt} ${id}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The reverse; anything this store did not write is `InvalidInputError`. */
export function decodeCursor(list: CursorList, cursor: string | null): Position | null {
  if (cursor === null) return null;
  const [, from, createdAt, id] = SHAPE.exec(decodeBase64Url(cursor)) ?? [];
  if (from !== list || createdAt === undefined || id === undefined) {
    throw new InvalidInputError("cursor", "is not one that this list returned", "Start again without a cursor.");
  }
  return { createdAt, id };
}

/** Takes the first `limit` of the wanted items and says whether more follow. */
export function pageOf<Item, View>(
  items: Iterable<Item>,
  limit: number,
  list: CursorList,
  wanted: (item: Item) => boolean,
  position: (item: Item) => Position,
  view: (item: Item) => View,
): Page<View> {
  const taken: Item[] = [];
  for (const item of items) {
    if (!wanted(item)) continue;
    if (taken.length === limit) {
      const last = taken.at(-1);
      return { rows: taken.map(view), nextCursor: last === undefined ? null : encodeCursor(list, position(last)) };
    }
    taken.push(item);
  }
  return { rows: taken.map(view), nextCursor: null };
}

function decodeBase64Url(text: string): string {
  try {
    return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}

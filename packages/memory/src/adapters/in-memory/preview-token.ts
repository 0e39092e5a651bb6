import { sha256 } from "#digest";
import { toHex } from "../../hash/encoding.js";
import type { Closure } from "./closure.js";
import { rowKey, type StoredRow } from "./stored-row.js";

/** A fingerprint of the rows in a closure: the same rows give the same token, any other rows another one. */
export function previewToken({ memories, derived }: Pick<Closure, "memories" | "derived">): string {
  const keys = [...memories, ...derived].map(({ rowKind, id }: StoredRow) => rowKey(rowKind, id));
  return toHex(sha256(new TextEncoder().encode(keys.sort().join("\n"))));
}

import { sha256 } from "#digest";
import { toHex } from "../../hash/encoding.js";
import type { Closure } from "./closure.js";
import type { StoredPlacement } from "./stored-placement.js";
import { rowKey, type StoredRow } from "./stored-row.js";

/** A fingerprint of the rows and copies in a closure: the same ones give the same token, any others another one. */
export function previewToken(
  { memories, derived }: Pick<Closure, "memories" | "derived">,
  placements: readonly StoredPlacement[],
): string {
  const keys = [...memories, ...derived].map(({ rowKind, id }: StoredRow) => rowKey(rowKind, id));
  keys.push(...placements.map(({ placementId }) => `placement:${placementId}`));
  return toHex(sha256(new TextEncoder().encode(keys.sort().join("\n"))));
}

import { ROW_KINDS, type RowKind } from "../domain/codes.js";
import { readOneOf } from "../domain/input/codes.js";
import { readEmbedding } from "../domain/input/embedding.js";
import { at, readArray, readFields } from "../domain/input/fields.js";
import { readId } from "../domain/input/ids.js";
import { readKey } from "../domain/input/strings.js";
import { InvalidInputError } from "../errors.js";
import type { EmbeddingUpdate } from "../ports/memory-store.js";
import type { MemoryContext } from "./context.js";
import { MAX_BATCH_INPUTS, MAX_BATCH_ROWS } from "./write-batches.js";

/** New vectors for stored rows, up to 10,000. Text, sources and identity stay. */
export interface SetEmbeddingsInput {
  readonly tenantKey: string;
  readonly items: readonly { readonly kind: RowKind; readonly id: string; readonly embedding: ArrayLike<number> }[];
}

/** How many rows got their vector, and how many items name no visible row. */
export interface SetEmbeddingsResult {
  readonly updated: number;
  readonly unknown: number;
}

export async function setEmbeddings(context: MemoryContext, input: SetEmbeddingsInput): Promise<SetEmbeddingsResult> {
  const fields = readFields(input, ["tenantKey", "items"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const items = readItems(fields.items);

  let updated = 0;
  let unknown = 0;
  for (let start = 0; start < items.length; start += MAX_BATCH_ROWS) {
    const result = await context.store.setEmbeddings(tenantKey, items.slice(start, start + MAX_BATCH_ROWS));
    updated += result.updated;
    unknown += result.unknown;
  }
  return { updated, unknown };
}

function readItems(value: unknown): readonly EmbeddingUpdate[] {
  const seen = new Set<string>();
  return readArray(value, "items", { min: 0, max: MAX_BATCH_INPUTS }).map((item, index) => {
    const place = at("items", index);
    const fields = readFields(item, ["kind", "id", "embedding"], place);
    const kind = readOneOf(fields.kind, at(place, "kind"), ROW_KINDS);
    const id = readId(fields.id, at(place, "id"));
    if (seen.has(`${kind} ${id}`)) throw new InvalidInputError(place, "names the same row as an earlier item");
    seen.add(`${kind} ${id}`);
    return { kind, id, embedding: readEmbedding(fields.embedding, at(place, "embedding")) };
  });
}

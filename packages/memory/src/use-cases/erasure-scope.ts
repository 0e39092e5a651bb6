import { readArray, at } from "../domain/input/fields.js";
import { readId } from "../domain/input/ids.js";
import { readOptionalKey } from "../domain/input/strings.js";
import { InvalidInputError } from "../errors.js";
import type { StoreScope } from "../ports/memory-store.js";
import { storeSubject, type MemoryContext } from "./context.js";

/** The person: everything filed under them. */
export interface SubjectScope {
  readonly tenantKey: string;
  readonly subjectKey: string;
  readonly memoryIds?: never;
}

/** Chosen memories of one person. `subjectKey` is needed where they have several persons in common. */
export interface MemoriesScope {
  readonly tenantKey: string;
  readonly memoryIds: readonly string[];
  readonly subjectKey?: string;
}

/** What an erasure covers, together with everything derived from it. */
export type ErasureScope = SubjectScope | MemoriesScope;

export const SCOPE_FIELDS = ["tenantKey", "subjectKey", "memoryIds"] as const;

const MAX_MEMORY_IDS = 10_000;

export function readScope(
  context: MemoryContext,
  tenantKey: string,
  fields: { readonly subjectKey: unknown; readonly memoryIds: unknown },
): StoreScope {
  const subjectKey = readOptionalKey(fields.subjectKey, "subjectKey");
  const subject = subjectKey === null ? null : storeSubject(context, tenantKey, subjectKey);
  if (fields.memoryIds !== undefined) {
    return { scope: "memories", memoryIds: readMemoryIds(fields.memoryIds), subject };
  }
  if (subject === null) {
    throw new InvalidInputError("subjectKey", "is required where no memoryIds are given");
  }
  return { scope: "subject", subject };
}

// Naming a memory twice asks for the same erasure, so it is not a mistake worth refusing.
function readMemoryIds(value: unknown): readonly string[] {
  const ids = readArray(value, "memoryIds", { min: 1, max: MAX_MEMORY_IDS }).map((id, index) =>
    readId(id, at("memoryIds", index)),
  );
  return [...new Set(ids)];
}

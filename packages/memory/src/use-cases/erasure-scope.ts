import { readArray, at } from "../domain/input/fields.js";
import { readId } from "../domain/input/ids.js";
import { readKey, readOptionalKey } from "../domain/input/strings.js";
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

/** An `ErasureScope`, checked. */
export interface ParsedScope {
  readonly tenantKey: string;
  readonly subjectKey: string | null;
  readonly memoryIds: readonly string[] | null;
}

export const SCOPE_FIELDS = ["tenantKey", "subjectKey", "memoryIds"] as const;

const MAX_MEMORY_IDS = 10_000;

export function readScope(fields: Readonly<Record<(typeof SCOPE_FIELDS)[number], unknown>>): ParsedScope {
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const subjectKey = readOptionalKey(fields.subjectKey, "subjectKey");
  const memoryIds = fields.memoryIds === undefined ? null : readMemoryIds(fields.memoryIds);
  if (memoryIds === null && subjectKey === null) {
    throw new InvalidInputError("subjectKey", "is required where no memoryIds are given");
  }
  return { tenantKey, subjectKey, memoryIds };
}

/** The scope as the store knows it: the person by hash, under every key of the context. */
export function storeScope(context: MemoryContext, { tenantKey, subjectKey, memoryIds }: ParsedScope): StoreScope {
  const subject = subjectKey === null ? null : storeSubject(context, tenantKey, subjectKey);
  if (memoryIds !== null) return { scope: "memories", memoryIds, subject };
  if (subject === null) throw new InvalidInputError("subjectKey", "is required where no memoryIds are given");
  return { scope: "subject", subject };
}

// Naming a memory twice asks for the same erasure, so it is not a mistake worth refusing.
function readMemoryIds(value: unknown): readonly string[] {
  const ids = readArray(value, "memoryIds", { min: 1, max: MAX_MEMORY_IDS }).map((id, index) =>
    readId(id, at("memoryIds", index)),
  );
  return [...new Set(ids)];
}

import { readCode } from "../domain/input/codes.js";
import { readOptionalEmbedding } from "../domain/input/embedding.js";
import { at, readArray, readBoolean, readFields } from "../domain/input/fields.js";
import { readOptionalInstant } from "../domain/input/instant.js";
import { readOptionalMetadata } from "../domain/input/metadata.js";
import { readKey, readOptionalKey, readText } from "../domain/input/strings.js";
import type { MemoryRow, Metadata } from "../domain/rows.js";
import { InvalidInputError } from "../errors.js";
import type { InsertOutcome, NewMemory, StoreSubject } from "../ports/memory-store.js";
import type { Redaction } from "../redaction/redactor-port.js";
import { storeSubject, type MemoryContext } from "./context.js";
import type { NotEmbedded } from "./embed-texts.js";
import { newId } from "./new-id.js";
import { isRefused, prepareContents, type Draft, type PreparedContent, type Refused } from "./prepare-content.js";
import { underKnownKeys } from "./under-every-key.js";

/** What `remember` stores. */
export interface RememberInput {
  readonly tenantKey: string;
  /** The person the memory is filed under and erased by. */
  readonly subjectKey: string;
  /** Up to 32 further persons: erasing any of them erases the memory. */
  readonly alsoAbout?: readonly string[];
  readonly text: string;
  /** A plain JSON object, stored verbatim unless `redactMetadata` is set. */
  readonly metadata?: Metadata;
  /** Your own vector; the embedder is then not called. */
  readonly embedding?: ArrayLike<number>;
  /** Default: `memory`. */
  readonly kind?: string;
  /** When it was said, where that was earlier than now. Data from before the person's erasure is refused. */
  readonly capturedAt?: Date | string;
  /** From then on no read sees it. */
  readonly expiresAt?: Date | string;
  /** The same key in a tenant returns the first result. */
  readonly idempotencyKey?: string;
  /** `false` for imported rows whose derivations nobody recorded: their erasure escalates. Default: `true`. */
  readonly provenanceKnown?: boolean;
}

/** What `remember` answers. */
export interface RememberResult {
  readonly memory: MemoryRow;
  /** What was masked. Offsets are UTF-16 units of the text as given. */
  readonly redactions: readonly Redaction[];
  /** Whether a vector was stored. */
  readonly embedded: boolean;
  readonly notEmbeddedBecause?: NotEmbedded;
  /** Present where the text was erased before, as far as its keyed tags tell. */
  readonly rematerialised?: true;
}

/** A `RememberInput`, checked. */
export interface ParsedMemory extends Draft {
  readonly tenantKey: string;
  /** The person it is filed under, then those it is also about. */
  readonly subjectKeys: readonly [string, ...string[]];
  readonly kind: string;
  readonly capturedAt: string | null;
  readonly expiresAt: string | null;
  readonly idempotencyKey: string | null;
  readonly provenanceKnown: boolean;
}

const FIELD_NAMES = [
  "tenantKey",
  "subjectKey",
  "alsoAbout",
  "text",
  "metadata",
  "embedding",
  "kind",
  "capturedAt",
  "expiresAt",
  "idempotencyKey",
  "provenanceKnown",
] as const satisfies readonly (keyof RememberInput)[];

const MAX_ALSO_ABOUT = 32;

export async function remember(context: MemoryContext, input: RememberInput): Promise<RememberResult> {
  const parsed = parseMemory(context, input, "");
  const [result] = await writeMemories(context, parsed.tenantKey, [parsed]);
  if (result === undefined) throw new TypeError("the store gave no answer for the row");
  if (isRefused(result)) throw result.error;
  return result;
}

export function parseMemory(context: MemoryContext, input: unknown, path: string): ParsedMemory {
  const fields = readFields(input, FIELD_NAMES, path);
  const subjectKey = readKey(fields.subjectKey, at(path, "subjectKey"));
  return {
    tenantKey: readKey(fields.tenantKey, at(path, "tenantKey")),
    subjectKeys: [subjectKey, ...readAlsoAbout(fields.alsoAbout, subjectKey, at(path, "alsoAbout"))],
    text: readText(fields.text, at(path, "text"), context.maxTextBytes),
    metadata: readOptionalMetadata(fields.metadata, at(path, "metadata"), context.maxTextBytes) ?? {},
    embedding: readOptionalEmbedding(fields.embedding, at(path, "embedding")),
    kind: readCode(fields.kind, at(path, "kind"), "memory"),
    capturedAt: readOptionalInstant(fields.capturedAt, at(path, "capturedAt")),
    expiresAt: readOptionalInstant(fields.expiresAt, at(path, "expiresAt")),
    idempotencyKey: readOptionalKey(fields.idempotencyKey, at(path, "idempotencyKey")),
    provenanceKnown: readBoolean(fields.provenanceKnown, at(path, "provenanceKnown"), true),
  };
}

/** Writes checked inputs of one tenant in one statement. Results are in order; a refused row is `{ error }`. */
export async function writeMemories(
  context: MemoryContext,
  tenantKey: string,
  inputs: readonly ParsedMemory[],
): Promise<readonly (RememberResult | Refused)[]> {
  const contents = await prepareContents(context, tenantKey, inputs);
  const keyed = await underKnownKeys(context, tenantKey);
  const rows = inputs.flatMap((input, index) => {
    const content = contents[index];
    return content === undefined || isRefused(content) ? [] : [newMemory(keyed, input, content)];
  });
  const options = { keys: keyed.keyring.keys, onRematerialise: context.onRematerialise };
  const outcomes = rows.length === 0 ? [] : await context.store.insertMemories(tenantKey, rows, options);

  let next = 0;
  return contents.map((content) => {
    if (isRefused(content)) return content;
    return toResult(content, outcomes[next++]);
  });
}

function newMemory(context: MemoryContext, input: ParsedMemory, content: PreparedContent): NewMemory {
  const { keyring } = context;
  const subjects = input.subjectKeys.map((key) => storeSubject(context, input.tenantKey, key));
  return {
    memoryId: newId(),
    subjects: subjects as unknown as readonly [StoreSubject, ...StoreSubject[]],
    kind: input.kind,
    text: content.text,
    metadata: content.metadata,
    embedding: content.embedding,
    termHashes: content.termHashes,
    contentTags: keyring.contentTags(input.tenantKey, input.subjectKeys, content.text),
    capturedAt: input.capturedAt,
    expiresAt: input.expiresAt,
    idempotencyHash:
      input.idempotencyKey === null ? null : keyring.idempotencyHash(input.tenantKey, input.idempotencyKey),
    provenanceKnown: input.provenanceKnown,
  };
}

// Of a repeat the first row is returned. The offsets of what was masked now say nothing about that row, unless the
// text came out the same.
function toResult(content: PreparedContent, outcome: InsertOutcome<MemoryRow> | undefined): RememberResult | Refused {
  if (outcome === undefined) throw new TypeError("the store gave fewer answers than rows");
  if (outcome.status === "refused") return { error: outcome.error };
  const memory = outcome.row;
  return {
    memory,
    redactions: memory.text === content.text ? content.redactions : [],
    embedded: memory.embedded,
    ...(outcome.status === "stored" && outcome.rematerialised ? { rematerialised: true as const } : {}),
    ...(memory.embedded || content.notEmbeddedBecause === null
      ? {}
      : { notEmbeddedBecause: content.notEmbeddedBecause }),
  };
}

function readAlsoAbout(value: unknown, subjectKey: string, path: string): readonly string[] {
  if (value === undefined) return [];
  const keys = readArray(value, path, { min: 0, max: MAX_ALSO_ABOUT }).map((key, index) =>
    readKey(key, at(path, index)),
  );
  if (new Set([subjectKey, ...keys]).size <= keys.length) {
    throw new InvalidInputError(path, "names a person twice, or the one in subjectKey");
  }
  return keys;
}

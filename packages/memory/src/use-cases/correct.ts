import { readOptionalEmbedding } from "../domain/input/embedding.js";
import { readFields } from "../domain/input/fields.js";
import { readLookupId } from "../domain/input/ids.js";
import { readKey, readOptionalKey, readText } from "../domain/input/strings.js";
import type { ErasureReceipt } from "../domain/receipt.js";
import type { MemoryRow } from "../domain/rows.js";
import { NotFoundError } from "../errors.js";
import type { OpenErasure } from "../ports/memory-store.js";
import type { Correction } from "../ports/upkeep-store.js";
import type { Redaction } from "../redaction/redactor-port.js";
import { storeSubject, type MemoryContext } from "./context.js";
import type { NotEmbedded } from "./embed-texts.js";
import { GROUND_FIELDS, readGround, type ErasureGround } from "./erasure-request.js";
import { newId } from "./new-id.js";
import { isRefused, prepareContents, type Draft, type PreparedContent } from "./prepare-content.js";
import { retryConflicts } from "./retry-conflicts.js";
import { underEveryKey } from "./under-every-key.js";

/** Which memory is wrong, and what it should have said (GDPR Art. 16, DPDP Act 2023 s. 12). */
export interface CorrectInput extends ErasureGround {
  readonly tenantKey: string;
  readonly memoryId: string;
  readonly text: string;
  /** Your own vector of the new text; the embedder is then not called. */
  readonly embedding?: ArrayLike<number>;
  /** Needed where the row is filed under several persons and only their hashes are kept. */
  readonly subjectKey?: string;
}

/** The new memory, and the receipt of the erasure of the old one, which may be in progress. */
export interface CorrectResult {
  readonly memory: MemoryRow;
  readonly receipt: ErasureReceipt;
  /** What was masked in the new text. */
  readonly redactions: readonly Redaction[];
  readonly embedded: boolean;
  readonly notEmbeddedBecause?: NotEmbedded;
}

interface ParsedCorrection {
  readonly tenantKey: string;
  readonly memoryId: string;
  readonly subjectKey: string | null;
  readonly draft: Draft;
  readonly ground: Pick<OpenErasure, "reason" | "legalBasis" | "requestedBy">;
}

export async function correct(context: MemoryContext, input: CorrectInput): Promise<CorrectResult> {
  const parsed = parseCorrection(context, input);
  const { tenantKey, memoryId } = parsed;
  // A row that cannot be read cannot be corrected either; the store says why. Its new text goes to no embedder.
  const row = await context.store.getMemory(tenantKey, memoryId);
  const [content] = await prepareContents(row === null ? { ...context, embedder: null } : context, tenantKey, [
    parsed.draft,
  ]);
  if (content === undefined) throw new TypeError("one text was given and none came back");
  if (isRefused(content)) throw content.error;

  const ids = { tombstoneId: newId(), memoryId: newId() };
  const { memory, receipt } = await underEveryKey(context, tenantKey, (keyed) => {
    const replacement = newText(keyed, parsed, row, content, ids.memoryId);
    const request = correctionRequest(keyed, parsed, row, ids.tombstoneId);
    return retryConflicts(() => keyed.store.upkeep.correct(request, replacement, keyed.destroyChunkRows));
  });
  return {
    memory,
    receipt,
    redactions: content.redactions,
    embedded: memory.embedded,
    ...(memory.embedded || content.notEmbeddedBecause === null
      ? {}
      : { notEmbeddedBecause: content.notEmbeddedBecause }),
  };
}

function parseCorrection(context: MemoryContext, input: CorrectInput): ParsedCorrection {
  const fields = readFields(input, ["tenantKey", "memoryId", "text", "embedding", "subjectKey", ...GROUND_FIELDS]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const text = readText(fields.text, "text", context.maxTextBytes);
  const embedding = readOptionalEmbedding(fields.embedding, "embedding");
  const subjectKey = readOptionalKey(fields.subjectKey, "subjectKey");
  const ground = readGround(context, tenantKey, fields);
  const memoryId = readLookupId(fields.memoryId, "memoryId");
  if (memoryId === null) throw new NotFoundError("memory");
  return { tenantKey, memoryId, subjectKey, ground, draft: { text, metadata: {}, embedding } };
}

function newText(
  { keyring }: MemoryContext,
  { tenantKey, subjectKey }: ParsedCorrection,
  row: MemoryRow | null,
  content: PreparedContent,
  memoryId: string,
): Correction {
  const persons = [row?.subjectKey ?? subjectKey, ...(row?.alsoAbout ?? [])].filter((key) => key !== null);
  return {
    memoryId,
    text: content.text,
    embedding: content.embedding,
    termHashes: content.termHashes,
    contentTags: keyring.contentTags(tenantKey, persons, content.text),
  };
}

// The person is only named where the row does not say by itself whose erasure it is.
function correctionRequest(
  context: MemoryContext,
  { tenantKey, memoryId, subjectKey, ground }: ParsedCorrection,
  row: MemoryRow | null,
  tombstoneId: string,
): OpenErasure {
  const named = subjectKey ?? (row !== null && row.alsoAbout.length > 0 ? row.subjectKey : null);
  const subject = named === null ? null : storeSubject(context, tenantKey, named);
  return {
    tenantKey,
    tombstoneId,
    target: { scope: "memories", memoryIds: [memoryId], subject },
    ...ground,
    origin: "correction",
    requestHash: null,
    previewToken: null,
  };
}

import { readCode } from "../domain/input/codes.js";
import { readOptionalEmbedding } from "../domain/input/embedding.js";
import { at, readFields } from "../domain/input/fields.js";
import { readOptionalMetadata } from "../domain/input/metadata.js";
import { readSources } from "../domain/input/sources.js";
import { readKey, readText } from "../domain/input/strings.js";
import { sourceIds, type DerivedRow, type Metadata, type SourceRef } from "../domain/rows.js";
import type { InsertOutcome, NewDerived } from "../ports/memory-store.js";
import type { Redaction } from "../redaction/redactor-port.js";
import type { MemoryContext } from "./context.js";
import type { NotEmbedded } from "./embed-texts.js";
import { newId } from "./new-id.js";
import { isRefused, prepareContents, type Draft, type PreparedContent, type Refused } from "./prepare-content.js";

/** What `derive` stores. */
export interface DeriveInput {
  readonly tenantKey: string;
  /** What it is, such as `summary` or `digest`. */
  readonly kind: string;
  readonly text: string;
  /** Everything the text was made from: 1 to 4,096 distinct rows. If any of them is erased, this row is too. */
  readonly sources: readonly SourceRef[];
  /** A plain JSON object, stored verbatim unless `redactMetadata` is set. */
  readonly metadata?: Metadata;
  /** Your own vector; the embedder is then not called. */
  readonly embedding?: ArrayLike<number>;
}

/** What `derive` answers. */
export interface DeriveResult {
  readonly derived: DerivedRow;
  /** What was masked. Offsets are UTF-16 units of the text as given. */
  readonly redactions: readonly Redaction[];
  /** Whether a vector was stored. */
  readonly embedded: boolean;
  readonly notEmbeddedBecause?: NotEmbedded;
  /** Present where the text was erased before, as far as its keyed tags tell. */
  readonly rematerialised?: true;
}

/** A `DeriveInput`, checked. */
export interface ParsedDerived extends Draft {
  readonly tenantKey: string;
  readonly kind: string;
  readonly sources: readonly SourceRef[];
}

const FIELD_NAMES = [
  "tenantKey",
  "kind",
  "text",
  "sources",
  "metadata",
  "embedding",
] as const satisfies readonly (keyof DeriveInput)[];

export async function derive(context: MemoryContext, input: DeriveInput): Promise<DeriveResult> {
  const parsed = parseDerived(context, input, "");
  const [result] = await writeDerived(context, parsed.tenantKey, [parsed]);
  if (result === undefined) throw new TypeError("the store gave no answer for the row");
  if (isRefused(result)) throw result.error;
  return result;
}

export function parseDerived(context: MemoryContext, input: unknown, path: string): ParsedDerived {
  const fields = readFields(input, FIELD_NAMES, path);
  return {
    tenantKey: readKey(fields.tenantKey, at(path, "tenantKey")),
    kind: readCode(fields.kind, at(path, "kind")),
    text: readText(fields.text, at(path, "text"), context.maxTextBytes),
    sources: readSources(fields.sources, at(path, "sources")),
    metadata: readOptionalMetadata(fields.metadata, at(path, "metadata"), context.maxTextBytes) ?? {},
    embedding: readOptionalEmbedding(fields.embedding, at(path, "embedding")),
  };
}

/** Writes checked inputs of one tenant in one statement. Results are in order; a refused row is `{ error }`. */
export async function writeDerived(
  context: MemoryContext,
  tenantKey: string,
  inputs: readonly ParsedDerived[],
): Promise<readonly (DeriveResult | Refused)[]> {
  const contents = await prepareContents(context, tenantKey, inputs);
  const rows = inputs.flatMap((input, index) => {
    const content = contents[index];
    return content === undefined || isRefused(content) ? [] : [newDerived(context, input, content)];
  });
  const outcomes = rows.length === 0 ? [] : await context.store.insertDerived(tenantKey, rows);

  let next = 0;
  return contents.map((content) => {
    if (isRefused(content)) return content;
    return toResult(content, outcomes[next++]);
  });
}

function newDerived(context: MemoryContext, input: ParsedDerived, content: PreparedContent): NewDerived {
  return {
    derivedId: newId(),
    kind: input.kind,
    text: content.text,
    metadata: content.metadata,
    embedding: content.embedding,
    termHashes: content.termHashes,
    contentTags: context.keyring.contentTags(input.tenantKey, [], content.text),
    sourceMemories: sourceIds(input.sources, "memory"),
    sourceDerived: sourceIds(input.sources, "derived"),
  };
}

function toResult(content: PreparedContent, outcome: InsertOutcome<DerivedRow> | undefined): DeriveResult | Refused {
  if (outcome === undefined) throw new TypeError("the store gave fewer answers than rows");
  if (outcome.status === "refused") return { error: outcome.error };
  return {
    derived: outcome.row,
    redactions: content.redactions,
    embedded: outcome.row.embedded,
    ...(outcome.status === "stored" && outcome.rematerialised ? { rematerialised: true as const } : {}),
    ...(outcome.row.embedded || content.notEmbeddedBecause === null
      ? {}
      : { notEmbeddedBecause: content.notEmbeddedBecause }),
  };
}

import { exceedsUtf8 } from "../domain/utf8.js";
import type { Metadata } from "../domain/rows.js";
import { InvalidInputError, MemoryError } from "../errors.js";
import { distinctTerms } from "../recall/terms.js";
import { redactMetadataStrings } from "../redaction/index.js";
import type { Redaction } from "../redaction/redactor-port.js";
import type { MemoryContext } from "./context.js";
import { embedTexts, type NotEmbedded } from "./embed-texts.js";

/** The content of a row as the caller gave it, checked. */
export interface Draft {
  readonly text: string;
  readonly metadata: Metadata;
  readonly embedding: Float32Array | null;
}

/** The content of a row as it will be stored. */
export interface PreparedContent {
  readonly text: string;
  readonly metadata: Metadata;
  readonly redactions: readonly Redaction[];
  readonly embedding: Float32Array | null;
  readonly notEmbeddedBecause: NotEmbedded | null;
  readonly termHashes: readonly bigint[];
}

/** Nothing of this input was stored. */
export interface Refused {
  readonly error: MemoryError;
}

/**
 * Redacts, then embeds, then hashes the terms, in this order: neither the embedder nor the store sees what the
 * redactor takes out. One call of the embedder for the whole batch; an `embedding` of the caller's own skips it. A
 * draft that cannot be redacted is refused alone.
 */
export async function prepareContents(
  context: MemoryContext,
  tenantKey: string,
  drafts: readonly Draft[],
): Promise<readonly (PreparedContent | Refused)[]> {
  const redacted = drafts.map((draft) => refusing(() => redactDraft(context, draft)));
  const toEmbed = redacted.filter((draft) => !isRefused(draft) && draft.embedding === null) as readonly RedactedDraft[];
  const answers = await embedTexts(
    context.embedder,
    toEmbed.map((draft) => draft.text),
  );
  const vectors = new Map(toEmbed.map((draft, index) => [draft, answers[index]]));
  const hashTerms = context.keyring.termHasher(tenantKey);

  return redacted.map((draft) => {
    if (isRefused(draft)) return draft;
    const vector = draft.embedding ?? vectors.get(draft) ?? "bad_vector";
    return {
      ...draft,
      embedding: typeof vector === "string" ? null : vector,
      notEmbeddedBecause: typeof vector === "string" ? vector : null,
      termHashes: hashTerms(distinctTerms(draft.text)),
    };
  });
}

/** The value, or the error of this package that making it threw. */
export function refusing<Value>(make: () => Value): Value | Refused {
  try {
    return make();
  } catch (error) {
    if (error instanceof MemoryError) return { error };
    throw error;
  }
}

export function isRefused(value: object): value is Refused {
  return "error" in value && value.error instanceof MemoryError;
}

interface RedactedDraft extends Draft {
  readonly redactions: readonly Redaction[];
}

function redactDraft({ redactor, redactMetadata, maxTextBytes }: MemoryContext, draft: Draft): RedactedDraft {
  const { text, redactions } = redactor.redact(draft.text);
  if (exceedsUtf8(text, maxTextBytes)) {
    throw new InvalidInputError("text", `must be at most ${maxTextBytes} bytes of UTF-8, also once redacted`);
  }
  const metadata = redactMetadata ? redactMetadataStrings(draft.metadata, redactor).metadata : draft.metadata;
  return { text, metadata, embedding: draft.embedding, redactions };
}

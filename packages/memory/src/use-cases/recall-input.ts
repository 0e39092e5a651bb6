import { readOneOf } from "../domain/input/codes.js";
import { readOptionalEmbedding } from "../domain/input/embedding.js";
import { readFields } from "../domain/input/fields.js";
import { readLimit, readMinScore } from "../domain/input/numbers.js";
import { readRowFilter, ROW_FILTER_NAMES, type RowFilterInput } from "../domain/input/row-filter.js";
import { readKey, readOptionalKey, readText } from "../domain/input/strings.js";
import { InvalidInputError } from "../errors.js";
import type { RecallFilter } from "../ports/memory-store.js";
import type { MemoryContext } from "./context.js";

/** What `recall` looks for. `text`, `embedding` or both are needed. */
export interface RecallInput extends RowFilterInput {
  readonly tenantKey: string;
  /** Redacted before it is embedded or taken apart into terms, as stored texts are. */
  readonly text?: string;
  /** Your own vector of the query; the embedder is then not called. */
  readonly embedding?: ArrayLike<number>;
  /** Only what is filed under this person, or derived from it. */
  readonly subjectKey?: string;
  /** Default: `both`. */
  readonly include?: "both" | "memories" | "derived";
  /** 1 to 1,000. Default: 10. */
  readonly limit?: number;
  /**
   * Default: `vector` where a vector can be had, else `lexical`. `bm25` ranks by terms, the rare ones weighing more;
   * `hybrid` fuses the ranks of `bm25` and `vector`.
   */
  readonly strategy?: RecallStrategy;
  /** For `bm25` and `hybrid`: `english` counts inflected forms of a word as the word. Default: `none`. */
  readonly stemming?: "none" | "english";
  /** From 0 to 1. Rows of score 0 are never hits. */
  readonly minScore?: number;
}

export type RecallStrategy = "vector" | "lexical" | "bm25" | "hybrid";

/** A `RecallInput` that was checked, its text redacted. */
export interface RecallQuery {
  readonly tenantKey: string;
  readonly text: string | null;
  readonly embedding: Float32Array | null;
  readonly strategy: RecallStrategy | null;
  readonly stemming: "none" | "english";
  readonly subjectKey: string | null;
  readonly filter: Omit<RecallFilter, "subject">;
}

const FIELD_NAMES = [
  "tenantKey",
  "text",
  "embedding",
  "subjectKey",
  "include",
  "limit",
  "strategy",
  "stemming",
  "minScore",
  ...ROW_FILTER_NAMES,
] as const satisfies readonly (keyof RecallInput)[];

const STRATEGIES = ["vector", "lexical", "bm25", "hybrid"] as const;
const DEFAULT_HITS = 10;

export function readRecall(context: MemoryContext, input: RecallInput): RecallQuery {
  const fields = readFields(input, FIELD_NAMES);
  const query: RecallQuery = {
    tenantKey: readKey(fields.tenantKey, "tenantKey"),
    text: fields.text === undefined ? null : readText(fields.text, "text", context.maxTextBytes),
    embedding: readOptionalEmbedding(fields.embedding, "embedding"),
    strategy: fields.strategy === undefined ? null : readOneOf(fields.strategy, "strategy", STRATEGIES),
    stemming: readOneOf(fields.stemming, "stemming", ["none", "english"], "none"),
    subjectKey: readOptionalKey(fields.subjectKey, "subjectKey"),
    filter: {
      ...readRowFilter(fields, context.maxTextBytes),
      include: readOneOf(fields.include, "include", ["both", "memories", "derived"], "both"),
      limit: readLimit(fields.limit, "limit", DEFAULT_HITS),
      minScore: readMinScore(fields.minScore, "minScore"),
    },
  };
  checkAnswerable(context, query);
  return { ...query, text: query.text === null ? null : context.redactor.redact(query.text).text };
}

function checkAnswerable(context: MemoryContext, { text, embedding, strategy, stemming }: RecallQuery): void {
  if (text === null && embedding === null) {
    throw new InvalidInputError("text", "is required where no embedding is given");
  }
  if (text === null && strategy !== null && strategy !== "vector") {
    throw new InvalidInputError("text", `is required for strategy ${strategy}`);
  }
  if ((strategy === "vector" || strategy === "hybrid") && embedding === null && context.embedder === null) {
    throw new InvalidInputError(
      "embedding",
      `is required for strategy ${strategy} where there is no embedder`,
      "Pass `embedding`, set an embedder, or leave `strategy` unset to rank by terms.",
    );
  }
  if (stemming === "english" && strategy !== "bm25" && strategy !== "hybrid") {
    throw new InvalidInputError("stemming", "is for the strategies bm25 and hybrid; the others match exact terms");
  }
  if ((strategy === "bm25" || strategy === "hybrid") && context.store.recallBm25 === undefined) {
    throw new InvalidInputError("strategy", `${strategy} is not offered by this store`);
  }
}

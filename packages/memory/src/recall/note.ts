/** Why recall ranked by terms although a vector was wanted, or that it was not. */
export type LexicalCause = "asked" | "no_embedder" | "embedder_failed" | "bad_vector";

/** What the notes speak about. */
export interface NoteFacts {
  readonly ranking: "pgvector" | "postgres" | "in-process";
  readonly coverage: {
    readonly considered: number;
    readonly skippedNoVector: number;
    readonly skippedDimension: number;
    readonly skippedNoTerms: number;
    readonly truncated: boolean;
  };
  readonly candidatePool: number;
}

/** What a ranking by terms did and did not do, in plain words. */
export function lexicalNote(cause: LexicalCause, termCount: number, facts: NoteFacts): string {
  const sentences = [LEXICAL_CAUSES[cause]];
  if (termCount === 0) {
    sentences.push("The query holds no letter or digit, so there is no term to look for and no row was looked at.");
    return sentences.join(" ");
  }
  sentences.push(
    "Ranked by exact term overlap: the share of the query's terms that a row holds, without stemming, synonyms or meaning.",
  );
  if (cause !== "asked") sentences.push(LEXICAL_WAYS_ON[cause]);
  if (facts.coverage.truncated) sentences.push("Not every row was looked at.");
  return [...sentences, ...skippedSentences(facts)].join(" ");
}

/**
 * What a ranking by vectors did and did not do, in plain words.
 *
 * @param textUnused whether a query text was given that an embedding of the caller's took the place of
 */
export function vectorNote(facts: NoteFacts, textUnused = false): string {
  const sentences = ["Ranked by cosine similarity of vectors, and by nothing else."];
  if (textUnused) sentences.push("The embedding that was passed was used, and the text was not.");
  if (facts.ranking === "in-process") {
    sentences.push(
      facts.coverage.truncated
        ? `Only the newest ${facts.candidatePool} rows that passed the filters were looked at; older ones were not. Raise candidatePool, narrow the filters, or use Postgres with pgvector.`
        : `The search was exact over the newest ${facts.candidatePool} rows that passed the filters, and there were no more.`,
    );
  } else if (facts.coverage.truncated) {
    sentences.push("Not every row was looked at.");
  }
  return [...sentences, ...skippedSentences(facts)].join(" ");
}

const LEXICAL_CAUSES: Readonly<Record<LexicalCause, string>> = {
  asked: "Terms were asked for.",
  no_embedder: "There is no embedder and no embedding was passed.",
  embedder_failed: "The embedder failed, so there was no vector to search with.",
  bad_vector: "The embedder gave no usable vector.",
};

const LEXICAL_WAYS_ON: Readonly<Record<Exclude<LexicalCause, "asked">, string>> = {
  no_embedder: "For ranking by meaning pass an embedder to Memory, or an embedding to recall.",
  embedder_failed: "For ranking by meaning call again once the embedder works, or pass an embedding.",
  bad_vector: "For ranking by meaning check what the embedder answers, or pass an embedding.",
};

function skippedSentences({ coverage }: NoteFacts): string[] {
  const sentences: string[] = [];
  if (coverage.skippedNoVector > 0) {
    sentences.push(`Skipped for want of a vector: ${rows(coverage.skippedNoVector)}; setEmbeddings adds them.`);
  }
  if (coverage.skippedDimension > 0) {
    sentences.push(
      `Skipped because their vectors have another length: ${rows(coverage.skippedDimension)}; embed them again with setEmbeddings.`,
    );
  }
  if (coverage.skippedNoTerms > 0) {
    sentences.push(`Skipped for want of terms: ${rows(coverage.skippedNoTerms)}; reindexTerms fills them.`);
  }
  return sentences;
}

function rows(count: number): string {
  return count === 1 ? "1 row" : `${count} rows`;
}

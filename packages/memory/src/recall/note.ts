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
    readonly partial?: boolean;
    readonly index?: "hnsw";
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
  if (facts.coverage.partial === true) {
    sentences.push(
      `Every row was eligible and the order is exact; once the hits were certain no more rows were looked at (${rows(facts.coverage.considered)} so far), so the number of all matches is not known.`,
    );
  }
  if (facts.coverage.truncated) sentences.push("Not every row was looked at.");
  return [...sentences, ...skippedSentences(facts)].join(" ");
}

/** What a ranking by weighted terms was given. */
export interface Bm25Query {
  readonly termCount: number;
  readonly stemming: "none" | "english";
}

/**
 * What a ranking by weighted terms did and did not do, in plain words.
 *
 * @param query.noVectorBecause why it stands in for a hybrid one, or `null` where it was asked for
 */
export function bm25Note(
  query: Bm25Query & { readonly noVectorBecause: Exclude<LexicalCause, "asked"> | null },
  facts: NoteFacts,
): string {
  const { noVectorBecause } = query;
  const sentences =
    noVectorBecause === null
      ? []
      : [
          LEXICAL_CAUSES[noVectorBecause],
          "A hybrid ranking was asked for and is not what this is: vectors had no part in it.",
        ];
  return [...sentences, ...rarityFacts(query), ...skippedSentences(facts)].join(" ");
}

/** What a ranking by weighted terms and by vectors together did and did not do, in plain words. */
export function hybridNote(query: Bm25Query, byTerms: NoteFacts, byVector: NoteFacts): string {
  return [
    "Two rankings were fused by rank (reciprocal rank fusion), each down to its first hundred rows or the limit if that is more; the score says how high a row stood in both, and nothing about how good it is.",
    ...rarityFacts(query),
    `By terms ${rows(byTerms.coverage.considered)} were looked at.`,
    "The other ranking is by cosine similarity of vectors.",
    ...vectorFacts(byVector),
    ...skippedSentences(byTerms),
  ].join(" ");
}

function rarityFacts({ termCount, stemming }: Bm25Query): string[] {
  if (termCount === 0) return ["The query holds no letter or digit, so there is no term to look for."];
  return [
    "Ranked by term overlap, where a term weighs more the fewer rows hold it (BM25 without term frequency and row length, which the index does not keep).",
    stemming === "english"
      ? "Inflected English forms of a word count as the word; synonyms and meaning do not."
      : "Terms match exactly, without stemming, synonyms or meaning.",
  ];
}

/**
 * What a ranking by vectors did and did not do, in plain words.
 *
 * @param textUnused whether a query text was given that an embedding of the caller's took the place of
 */
export function vectorNote(facts: NoteFacts, textUnused = false): string {
  const sentences = ["Ranked by cosine similarity of vectors, and by nothing else."];
  if (textUnused) sentences.push("The embedding that was passed was used, and the text was not.");
  return [...sentences, ...vectorFacts(facts)].join(" ");
}

function vectorFacts(facts: NoteFacts): string[] {
  const sentences: string[] = [];
  if (facts.ranking === "in-process") {
    sentences.push(
      facts.coverage.truncated
        ? `Only the newest ${facts.candidatePool} rows that passed the filters were looked at; older ones were not. Raise candidatePool, narrow the filters, or use Postgres with pgvector.`
        : `The search was exact over the newest ${facts.candidatePool} rows that passed the filters, and there were no more.`,
    );
  } else if (facts.coverage.index === "hnsw") {
    sentences.push(
      "The tenant's own HNSW index was searched, which may miss a near row; rows that hold no such vector were not counted.",
    );
  } else if (facts.coverage.truncated) {
    sentences.push("Not every row was looked at.");
  }
  return [...sentences, ...skippedSentences(facts)];
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

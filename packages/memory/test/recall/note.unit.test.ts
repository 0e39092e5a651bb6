import { describe, expect, test } from "vitest";
import { lexicalNote, vectorNote, type NoteFacts } from "../../src/recall/note.js";

const facts = (ranking: NoteFacts["ranking"], coverage: Partial<NoteFacts["coverage"]> = {}): NoteFacts => ({
  ranking,
  candidatePool: 1000,
  coverage: {
    considered: 3,
    skippedNoVector: 0,
    skippedDimension: 0,
    skippedNoTerms: 0,
    truncated: false,
    ...coverage,
  },
});

describe("the note of a ranking by terms", () => {
  test("says that there is no embedder, what exact term overlap is not, and how to get more", () => {
    expect(lexicalNote("no_embedder", 2, facts("postgres"))).toBe(
      "There is no embedder and no embedding was passed. Ranked by exact term overlap: the share of the query's terms that a row holds, without stemming, synonyms or meaning. For ranking by meaning pass an embedder to Memory, or an embedding to recall.",
    );
  });

  test("says that the embedder failed, or that its answer was unusable", () => {
    expect(lexicalNote("embedder_failed", 2, facts("in-process"))).toContain("The embedder failed");
    expect(lexicalNote("bad_vector", 2, facts("in-process"))).toContain("The embedder gave no usable vector");
  });

  test("gives no advice to who asked for terms", () => {
    expect(lexicalNote("asked", 2, facts("postgres"))).toBe(
      "Terms were asked for. Ranked by exact term overlap: the share of the query's terms that a row holds, without stemming, synonyms or meaning.",
    );
  });

  test("says that a query without a term found nothing because it looked for nothing", () => {
    expect(lexicalNote("no_embedder", 0, facts("postgres"))).toContain("there is no term to look for");
  });

  test("counts rows without terms and names the way to fill them", () => {
    expect(lexicalNote("asked", 1, facts("postgres", { skippedNoTerms: 1 }))).toContain(
      "Skipped for want of terms: 1 row; reindexTerms fills them.",
    );
  });

  test("says where not every row was looked at", () => {
    expect(lexicalNote("asked", 1, facts("in-process", { truncated: true }))).toContain("Not every row was looked at.");
  });
});

describe("the note of a ranking by vectors", () => {
  test("in this process says over how many rows it was exact", () => {
    expect(vectorNote(facts("in-process"))).toBe(
      "Ranked by cosine similarity of vectors, and by nothing else. The search was exact over the newest 1000 rows that passed the filters, and there were no more.",
    );
  });

  test("in this process says that older rows were not looked at", () => {
    expect(vectorNote(facts("in-process", { truncated: true }))).toContain(
      "Only the newest 1000 rows that passed the filters were looked at; older ones were not.",
    );
  });

  test("in Postgres speaks of a window only where there was one", () => {
    expect(vectorNote(facts("pgvector"))).toBe("Ranked by cosine similarity of vectors, and by nothing else.");
    expect(vectorNote(facts("pgvector", { truncated: true }))).toContain("Not every row was looked at.");
  });

  test("counts the rows it could not compare", () => {
    const note = vectorNote(facts("pgvector", { skippedNoVector: 2, skippedDimension: 1 }));

    expect(note).toContain("Skipped for want of a vector: 2 rows; setEmbeddings adds them.");
    expect(note).toContain("Skipped because their vectors have another length: 1 row");
  });
});

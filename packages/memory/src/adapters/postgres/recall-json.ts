import type { RowKind } from "../../domain/codes.js";
import type { Coverage, RankedRows, RecallFilter, SubjectHash, VectorQuery } from "../../ports/memory-store.js";
import { cosine } from "../../recall/cosine.js";
import type { Argument } from "./call.js";
import { plainArray, textArray } from "./literals.js";

/** The filters every recall function takes, in order: subjects and their keys, kinds, include, metadata. */
export function filterArguments(filter: RecallFilter): Argument[] {
  return [
    ...subjectArguments(filter.subject),
    ["text[]", filter.kinds === null ? null : textArray(filter.kinds)],
    ["text", filter.include],
    ["jsonb", filter.metadata === null ? null : JSON.stringify(filter.metadata)],
  ];
}

/** A person as two arguments: the hashes to look for, and the keys they were made under. Nulls for everybody. */
export function subjectArguments(subject: readonly SubjectHash[] | null): Argument[] {
  return [
    ["text[]", subject === null ? null : plainArray(subject.map(({ hash }) => hash))],
    ["jsonb", subject === null ? null : JSON.stringify(subject.map(({ keyId, check }) => ({ keyId, check })))],
  ];
}

export function parseRanked(answer: string | null, ranking: RankedRows["ranking"]): RankedRows {
  const { hits, coverage } = JSON.parse(answer ?? '{"hits":[],"coverage":{}}') as Pick<RankedRows, "hits" | "coverage">;
  return { hits, coverage, ranking };
}

/** The newest comparable vectors, newest first. */
export interface Pool {
  readonly pool: readonly (readonly [kind: RowKind, id: string, at: string, embedding: readonly number[]])[];
  readonly coverage: Coverage;
}

/** Exact cosine over the pool. The pool is newest first and the sort is stable, so ties stay newest first. */
export function rankPool({ pool }: Pool, query: VectorQuery): { kind: RowKind; id: string; score: number }[] {
  return pool
    .map(([kind, id, , embedding]) => ({ kind, id, score: cosine(query.embedding, Float32Array.from(embedding)) }))
    .filter(({ score }) => score > 0 && score >= query.minScore)
    .sort((a, b) => b.score - a.score)
    .slice(0, query.limit);
}

import type { RowKind } from "../../domain/codes.js";
import type { RowFilter } from "../../domain/row-filter.js";
import type {
  Coverage,
  LexicalQuery,
  RankedRows,
  RecallFilter,
  SubjectHash,
  VectorQuery,
} from "../../ports/memory-store.js";
import { cosine } from "../../recall/cosine.js";
import type { Argument } from "./call.js";
import { plainArray } from "./literals.js";

/** The filters every recall function takes, in order: persons, their keys, and everything else as one object. */
export function filterArguments(filter: RecallFilter): Argument[] {
  return [...subjectArguments(filter.subject), rowFilterArgument(filter, filter.include)];
}

/** The functions look for each part under its name, so that what was not asked for is left out. */
export function rowFilterArgument(
  { kinds, metadata, where, createdAt, capturedAt }: RowFilter,
  include: RecallFilter["include"] = "both",
): Argument {
  const parts = {
    kinds,
    metadata,
    where,
    include: include === "both" ? null : include,
    createdFrom: createdAt?.from,
    createdTo: createdAt?.to,
    capturedFrom: capturedAt?.from,
    capturedTo: capturedAt?.to,
  };
  const given = Object.entries(parts).filter(([, part]) => part !== null && part !== undefined);
  return ["jsonb", JSON.stringify(Object.fromEntries(given))];
}

/** A person as two arguments: the hashes to look for, and the keys they were made under. Nulls for everybody. */
export function subjectArguments(subject: readonly SubjectHash[] | null): Argument[] {
  return [
    ["text[]", subject === null ? null : plainArray(subject.map(({ hash }) => hash))],
    ["jsonb", subject === null ? null : JSON.stringify(subject.map(({ keyId, check }) => ({ keyId, check })))],
  ];
}

/** What both rankings by terms take: each hash, and which term of the query it stands for. */
export function termArguments(query: LexicalQuery): Argument[] {
  return [
    ["bigint[]", plainArray(query.terms.flat())],
    ["int[]", plainArray(query.terms.flatMap((hashes, place) => hashes.map(() => place)))],
    ...filterArguments(query),
    ["int", query.limit],
    ["float8", query.minScore],
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

import type { Memory } from "@demystify/memory";
import type { Database, Queryable } from "../database/database.js";
import type { MadeDigest } from "../digest/derive-digests.js";
import type { Literal } from "./literals.js";
import { fingerprintOthers, type OthersFingerprint } from "./others.js";
import { scanSchema, type Scan } from "./scan.js";
import { SCHEMA } from "./read-table.js";

/** The person to be forgotten, and everything we know we stored about them because we stored it. */
export interface Target {
  readonly tenantKey: string;
  readonly subjectKey: string;
  readonly memoryIds: readonly string[];
  /** The derived rows that hold something of the person, worked out here and not asked of the library. */
  readonly digests: readonly MadeDigest[];
  readonly literals: readonly Literal[];
  /** Texts of the person, to ask recall for. */
  readonly questions: readonly string[];
}

/** What the whole database shows at one moment. The same observation is made before and after. */
export interface Observation {
  readonly scan: Scan;
  readonly others: OthersFingerprint;
  /** Counted in SQL over the tenant. */
  readonly totals: { readonly memories: number; readonly derived: number; readonly provenanceEdges: number };
  /** How many of the person's rows are in the tables. */
  readonly present: { readonly memories: number; readonly digests: readonly MadeDigest[] };
  /** What the library's own reads show of the person. */
  readonly reads: {
    /** How many questions were asked. */
    readonly asked: number;
    /** Hits where only this person was asked about. */
    readonly hits: number;
    /** Of the hits where everybody was asked about, those that hold something of this person. */
    readonly amongAll: number;
    readonly listed: number;
    readonly fetched: number;
  };
}

export type ReadMemory = Pick<Memory, "recall" | "listMemories" | "listDerived" | "getMemory" | "getDerived">;

/** Looks at everything: the tables in one snapshot, then the library's reads. */
export async function observe(database: Database, memory: ReadMemory, target: Target): Promise<Observation> {
  const except = {
    memoryIds: new Set(target.memoryIds),
    derivedIds: new Set(target.digests.map((digest) => digest.derivedId)),
  };
  const tables = await database.snapshot(target.tenantKey, async (session) => ({
    scan: await scanSchema(session, target.tenantKey, target.literals),
    others: await fingerprintOthers(session, target.tenantKey, except),
    totals: await countRows(session, target.tenantKey),
    present: await findRows(session, target),
  }));
  return { ...tables, reads: await readAsHost(memory, target) };
}

async function countRows(session: Queryable, tenantKey: string): Promise<Observation["totals"]> {
  const { rows } = await session.query<Observation["totals"]>(
    `select (select count(*)::int from ${SCHEMA}.memory where tenant_key = $1) as memories,
            count(*)::int as derived,
            coalesce(sum(cardinality(source_memories) + cardinality(source_derived)), 0)::int as "provenanceEdges"
       from ${SCHEMA}.derived
      where tenant_key = $1`,
    [tenantKey],
  );
  return rows[0] ?? { memories: 0, derived: 0, provenanceEdges: 0 };
}

async function findRows(session: Queryable, target: Target): Promise<Observation["present"]> {
  const find = async (table: "memory" | "derived", ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const { rows } = await session.query<{ id: string }>(
      `select ${table}_id::text as id from ${SCHEMA}.${table} where tenant_key = $1 and ${table}_id = any ($2::uuid[])`,
      [target.tenantKey, ids],
    );
    return new Set(rows.map((row) => row.id));
  };
  const derived = await find(
    "derived",
    target.digests.map((digest) => digest.derivedId),
  );
  return {
    memories: (await find("memory", target.memoryIds)).size,
    digests: target.digests.filter((digest) => derived.has(digest.derivedId)),
  };
}

/** Asks as an application would: by words, by person, by id. */
async function readAsHost(memory: ReadMemory, target: Target): Promise<Observation["reads"]> {
  const { tenantKey, subjectKey } = target;
  const ours = new Set([...target.memoryIds, ...target.digests.map((digest) => digest.derivedId)]);
  let hits = 0;
  let amongAll = 0;
  for (const text of target.questions) {
    hits += (await memory.recall({ tenantKey, subjectKey, text })).hits.length;
    const all = await memory.recall({ tenantKey, text });
    amongAll += all.hits.filter(({ kind, row }) => ours.has(kind === "memory" ? row.memoryId : row.derivedId)).length;
  }

  const memories = await memory.listMemories({ tenantKey, subjectKey });
  const derived = await memory.listDerived({ tenantKey, subjectKey });

  let fetched = 0;
  for (const memoryId of target.memoryIds.slice(0, SAMPLE_IDS)) {
    if ((await memory.getMemory(tenantKey, memoryId)) !== null) fetched += 1;
  }
  for (const { derivedId } of target.digests.slice(0, SAMPLE_IDS)) {
    if ((await memory.getDerived(tenantKey, derivedId)) !== null) fetched += 1;
  }
  return {
    asked: target.questions.length,
    hits,
    amongAll,
    listed: memories.rows.length + derived.rows.length,
    fetched,
  };
}

/** By id, one call each; the tables themselves were asked for all of them. */
const SAMPLE_IDS = 50;

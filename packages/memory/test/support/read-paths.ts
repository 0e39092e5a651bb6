import type { DeriveResult, Memory, RememberResult } from "../../src/index.js";
import { aMemory, aSummaryOf } from "./builders.js";

/** One person's memory and a summary of it, both found by the word "saffron" and by the vector [1, 0]. */
export interface Kept {
  readonly tenantKey: string;
  readonly source: RememberResult;
  readonly summary: DeriveResult;
}

export const KEPT_SUBJECT = "customer:ramesh";
const IDEMPOTENCY_KEY = "first contact";

export async function keep(
  memory: Memory,
  tenantKey: string,
  given: { readonly expiresAt?: Date } = {},
): Promise<Kept> {
  const source = await memory.remember({
    tenantKey,
    subjectKey: KEPT_SUBJECT,
    text: "saffron tea",
    embedding: [1, 0],
    idempotencyKey: IDEMPOTENCY_KEY,
    ...given,
  });
  const summary = await memory.derive({ ...aSummaryOf(source), text: "saffron", embedding: [1, 0] });
  return { tenantKey, source, summary };
}

interface ReadPath {
  readonly name: string;
  /** The ids of the kept rows that it shows. */
  readonly shown: (memory: Memory, kept: Kept) => Promise<readonly string[]>;
  /** What it shows while the rows live. */
  readonly live: readonly ("source" | "summary")[];
  /** A person's own right of access also reaches what has expired. */
  readonly showsExpired?: true;
}

const BOTH = ["source", "summary"] as const;

/** Every way in which a caller can come to see a row, or to use it. A new one belongs here. */
export const READ_PATHS: readonly ReadPath[] = [
  {
    name: "getMemory",
    live: ["source"],
    shown: async (memory, { tenantKey, source }) => idsOf([await memory.getMemory(tenantKey, source.memory.memoryId)]),
  },
  {
    name: "getDerived",
    live: ["summary"],
    shown: async (memory, { tenantKey, summary }) =>
      idsOf([await memory.getDerived(tenantKey, summary.derived.derivedId)]),
  },
  {
    name: "listMemories",
    live: ["source"],
    shown: async (memory, { tenantKey }) => idsOf((await memory.listMemories({ tenantKey })).rows),
  },
  {
    name: "listMemories by person",
    live: ["source"],
    shown: async (memory, { tenantKey }) =>
      idsOf((await memory.listMemories({ tenantKey, subjectKey: KEPT_SUBJECT })).rows),
  },
  {
    name: "listMemories by missing vectors",
    live: ["source"],
    shown: async (memory, { tenantKey }) =>
      idsOf((await memory.listMemories({ tenantKey, embedded: { dimensionsNot: 3 } })).rows),
  },
  {
    name: "listDerived",
    live: ["summary"],
    shown: async (memory, { tenantKey }) => idsOf((await memory.listDerived({ tenantKey })).rows),
  },
  {
    name: "listDerived by person",
    live: ["summary"],
    shown: async (memory, { tenantKey }) =>
      idsOf((await memory.listDerived({ tenantKey, subjectKey: KEPT_SUBJECT })).rows),
  },
  {
    name: "lineage from the memory",
    live: ["summary"],
    shown: async (memory, { tenantKey, source }) => {
      const lineage = await memory.lineage({ tenantKey, kind: "memory", id: source.memory.memoryId });
      return (lineage?.descendants ?? []).map(({ id }) => id);
    },
  },
  {
    name: "lineage from the derived row",
    live: ["source"],
    shown: async (memory, { tenantKey, summary }) => {
      const lineage = await memory.lineage({ tenantKey, kind: "derived", id: summary.derived.derivedId });
      return (lineage?.ancestors ?? []).map(({ id }) => id);
    },
  },
  {
    name: "recall by terms",
    live: BOTH,
    shown: async (memory, { tenantKey }) => hitsOf(await memory.recall({ tenantKey, text: "saffron" })),
  },
  {
    name: "recall by terms of a person",
    live: BOTH,
    shown: async (memory, { tenantKey }) =>
      hitsOf(await memory.recall({ tenantKey, text: "saffron", subjectKey: KEPT_SUBJECT })),
  },
  {
    name: "recall by vector",
    live: BOTH,
    shown: async (memory, { tenantKey }) => hitsOf(await memory.recall({ tenantKey, embedding: [1, 0] })),
  },
  {
    name: "recall by vector of a person",
    live: BOTH,
    shown: async (memory, { tenantKey }) =>
      hitsOf(await memory.recall({ tenantKey, embedding: [1, 0], subjectKey: KEPT_SUBJECT })),
  },
  {
    name: "derive from the memory",
    live: ["source"],
    shown: async (memory, { source }) => {
      const [result] = await memory.deriveMany([aSummaryOf(source)]);
      return result && "derived" in result ? result.derived.sources.map(({ sourceId }) => sourceId) : [];
    },
  },
  {
    name: "derive from the derived row",
    live: ["summary"],
    shown: async (memory, { summary }) => {
      const [result] = await memory.deriveMany([aSummaryOf(summary)]);
      return result && "derived" in result ? result.derived.sources.map(({ sourceId }) => sourceId) : [];
    },
  },
  {
    name: "remember under the same idempotency key",
    live: ["source"],
    shown: async (memory, { tenantKey }) => {
      const again = await memory.remember(
        aMemory({ tenantKey, text: "something else", idempotencyKey: IDEMPOTENCY_KEY }),
      );
      return idsOf([again.memory]);
    },
  },
  {
    name: "setEmbeddings",
    live: BOTH,
    shown: async (memory, { tenantKey, source, summary }) => {
      const rows = [
        { kind: "memory", id: source.memory.memoryId },
        { kind: "derived", id: summary.derived.derivedId },
      ] as const;
      const shown: string[] = [];
      for (const row of rows) {
        const { updated } = await memory.setEmbeddings({ tenantKey, items: [{ ...row, embedding: [1, 0] }] });
        if (updated === 1) shown.push(row.id);
      }
      return shown;
    },
  },
  {
    name: "previewForget",
    live: BOTH,
    showsExpired: true,
    shown: async (memory, { tenantKey }) => {
      const { ids } = await memory.previewForget({ tenantKey, subjectKey: KEPT_SUBJECT });
      return [...ids.memories, ...ids.derived];
    },
  },
];

function idsOf(rows: readonly (object | null)[]): string[] {
  return rows.flatMap((row) => {
    if (row === null) return [];
    return "memoryId" in row ? [String(row.memoryId)] : "derivedId" in row ? [String(row.derivedId)] : [];
  });
}

function hitsOf({ hits }: Awaited<ReturnType<Memory["recall"]>>): string[] {
  return idsOf(hits.map(({ row }) => row));
}

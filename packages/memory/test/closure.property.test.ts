import fc from "fast-check";
import { expect, test } from "vitest";
import type { Memory } from "../src/index.js";
import { describeEachStore } from "./support/stores.js";

const PEOPLE = ["person:a", "person:b", "person:c", "person:d"] as const;

/** Rows in the order they are written. A number points at an earlier row, modulo how many there are. */
interface Graph {
  readonly memories: readonly (readonly number[])[];
  readonly derived: readonly (readonly number[])[];
}

interface Row {
  readonly kind: "memory" | "derived";
  readonly id: string;
  readonly sources: readonly Row[];
  readonly people: readonly string[];
}

const graphs: fc.Arbitrary<Graph> = fc.record({
  memories: fc.array(fc.uniqueArray(fc.nat(PEOPLE.length - 1), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 7,
  }),
  derived: fc.array(fc.array(fc.nat(1000), { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
});

// Chains and diamonds are rare among random graphs, and they are where a cascade goes wrong.
const CHAIN: Graph = { memories: [[0], [1]], derived: [[0], [2], [3], [4], [5]] };
const DIAMOND: Graph = { memories: [[0], [1]], derived: [[0], [0, 1], [2, 3], [4, 2, 0], [1]] };
const SHARED: Graph = { memories: [[0, 1], [1, 2], [2]], derived: [[0, 1], [1, 2], [2], [3, 4], [5]] };

describeEachStore("over random graphs", (given) => {
  const patience = { timeout: 120_000 };

  test(
    "what the preview names is what is erased: all that is reachable, nothing else, and nothing is left naked",
    patience,
    async () => {
      await fc.assert(
        fc.asyncProperty(graphs, fc.nat(PEOPLE.length - 1), async (graph, who) => {
          const { memory, tenantKey } = await given.tenant();
          const rows = await write(memory, tenantKey, graph);
          const subjectKey = PEOPLE[who] as string;
          const doomed = reachable(rows, (row) => row.people.includes(subjectKey));
          const survivors = rows.filter((row) => !doomed.has(row));
          const before = await readAll(memory, tenantKey, survivors);

          const preview = await memory.previewForget({ tenantKey, subjectKey });
          const receipt = await memory.forget({ tenantKey, subjectKey, previewToken: preview.token });

          const doomedIds = (kind: Row["kind"]) =>
            [...doomed]
              .filter((row) => row.kind === kind)
              .map(({ id }) => id)
              .sort();
          expect(preview.ids).toEqual({ memories: doomedIds("memory"), derived: doomedIds("derived"), placements: [] });
          expect(receipt).toMatchObject({
            state: "complete",
            matched: doomedIds("memory").length > 0,
            counts: {
              memories: doomedIds("memory").length,
              derived: doomedIds("derived").length,
              provenanceEdges: [...doomed].reduce((edges, row) => edges + row.sources.length, 0),
            },
            otherSubjects: new Set([...doomed].flatMap((row) => [...peopleOf(row)])).size - (doomed.size > 0 ? 1 : 0),
            cascadeDepth: preview.cascadeDepth,
            rebuildable: preview.rebuildable,
          });
          expect(await readAll(memory, tenantKey, [...doomed])).toEqual([...doomed].map(() => null));
          expect(await readAll(memory, tenantKey, survivors)).toEqual(before);
          await expectNothingNaked(memory, tenantKey);
        }),
        {
          numRuns: 25,
          seed: 20240501,
          examples: [
            [CHAIN, 0],
            [DIAMOND, 0],
            [DIAMOND, 1],
            [SHARED, 1],
            [SHARED, 3],
          ],
        },
      );
    },
  );

  test("in whatever order the people are forgotten, the counts add up and nothing is left", patience, async () => {
    await fc.assert(
      fc.asyncProperty(
        graphs,
        fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
        fc.boolean(),
        async (graph, order, together) => {
          const { memory, tenantKey } = await given.tenant();
          const rows = await write(memory, tenantKey, graph);

          const receipts = together
            ? await openAllThenResume(memory, tenantKey, order)
            : await forgetInTurn(memory, tenantKey, order);

          const total = (count: "memories" | "derived" | "provenanceEdges") =>
            receipts.reduce((sum, { counts }) => sum + counts[count], 0);
          expect(receipts.map(({ state }) => state)).toEqual(["complete", "complete", "complete", "complete"]);
          expect(total("memories")).toBe(graph.memories.length);
          expect(total("derived")).toBe(graph.derived.length);
          expect(total("provenanceEdges")).toBe(rows.reduce((edges, row) => edges + row.sources.length, 0));
          expect((await memory.listMemories({ tenantKey })).rows).toEqual([]);
          expect((await memory.listDerived({ tenantKey })).rows).toEqual([]);
        },
      ),
      {
        numRuns: 15,
        seed: 20240502,
        examples: [
          [SHARED, [3, 1, 0, 2], true],
          [DIAMOND, [1, 0, 2, 3], false],
        ],
      },
    );
  });
});

async function write(memory: Memory, tenantKey: string, graph: Graph): Promise<Row[]> {
  const rows: Row[] = [];
  for (const people of graph.memories) {
    const [subjectKey, ...alsoAbout] = people.map((person) => PEOPLE[person] as string);
    const result = await memory.remember({ tenantKey, subjectKey: subjectKey as string, alsoAbout, text: "said" });
    rows.push({
      kind: "memory",
      id: result.memory.memoryId,
      sources: [],
      people: people.map((person) => PEOPLE[person] as string),
    });
  }
  for (const places of graph.derived) {
    const sources = [...new Set(places.map((place) => rows[place % rows.length] as Row))];
    const result = await memory.derive({
      tenantKey,
      kind: "summary",
      text: "written",
      sources: sources.map(({ kind, id }) => ({ sourceKind: kind, sourceId: id })),
    });
    rows.push({ kind: "derived", id: result.derived.derivedId, sources, people: [] });
  }
  return rows;
}

/** By another way than a store goes: every row asks its own sources, from the oldest on. */
function reachable(rows: readonly Row[], isErased: (row: Row) => boolean): Set<Row> {
  const reached = new Set<Row>();
  for (const row of rows) {
    if (isErased(row) || row.sources.some((source) => reached.has(source))) reached.add(row);
  }
  return reached;
}

function peopleOf(row: Row): Set<string> {
  return new Set([...row.people, ...row.sources.flatMap((source) => [...peopleOf(source)])]);
}

function readAll(memory: Memory, tenantKey: string, rows: readonly Row[]): Promise<unknown[]> {
  return Promise.all(
    rows.map(({ kind, id }) =>
      kind === "memory" ? memory.getMemory(tenantKey, id) : memory.getDerived(tenantKey, id),
    ),
  );
}

/** No derived row may live without every one of its sources. */
async function expectNothingNaked(memory: Memory, tenantKey: string): Promise<void> {
  const { rows } = await memory.listDerived({ tenantKey, limit: 1000 });
  for (const { sources } of rows) {
    const found = await readAll(
      memory,
      tenantKey,
      sources.map(({ sourceKind, sourceId }) => ({
        kind: sourceKind,
        id: sourceId,
        sources: [],
        people: [],
      })),
    );
    expect(found).not.toContain(null);
  }
}

async function forgetInTurn(memory: Memory, tenantKey: string, order: readonly number[]) {
  const receipts = [];
  for (const who of order) receipts.push(await memory.forget({ tenantKey, subjectKey: PEOPLE[who] as string }));
  return receipts;
}

async function openAllThenResume(memory: Memory, tenantKey: string, order: readonly number[]) {
  const opened = [];
  for (const who of order) opened.push(await memory.erasures.open({ tenantKey, subjectKey: PEOPLE[who] as string }));
  const receipts = [];
  for (const { tombstoneId } of opened.reverse())
    receipts.push(await memory.erasures.resume({ tenantKey, tombstoneId }));
  return receipts;
}

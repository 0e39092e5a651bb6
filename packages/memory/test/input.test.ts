import { describe, expect, test } from "vitest";
import type { Memory } from "../src/index.js";
import { InvalidInputError, MemoryError } from "../src/index.js";
import { aMemory, UNKNOWN_ID } from "./support/builders.js";
import { aRecordingEmbedder } from "./support/recording-embedder.js";
import { describeEachStore } from "./support/stores.js";

type Fields = Record<string, unknown>;

interface Call {
  readonly name: string;
  readonly good: Fields;
  readonly call: (memory: Memory, fields: never) => Promise<unknown>;
  /** What each field must not be; every method's tenant key is checked besides. */
  readonly bad: readonly Fields[];
}

const LONG_KEY = "k".repeat(513);
const BAD_KEYS: readonly unknown[] = ["", " ", "\t\n", LONG_KEY, "nul\0", "half \ud800 pair", 7, null, {}, []];
const BAD_IDS: readonly unknown[] = ["", "not-an-id", 7, null, {}];
const BAD_LIMITS: readonly unknown[] = [0, -1, 1.5, 1001, Number.NaN, Infinity, "10", null];
const BAD_DATES: readonly unknown[] = [
  "",
  "yesterday",
  "2024-05-01",
  "2024-05-01T09:30:00",
  "2024-02-30T00:00:00Z",
  0,
  null,
  new Date(Number.NaN),
];
const BAD_CODES: readonly unknown[] = ["", "Upper", "9lives", "has space", "a".repeat(65), "account-12345", 7, null];
const BAD_TEXTS: readonly unknown[] = ["", "nul\0", "half \udc00 pair", "x".repeat(1_048_577), 7, null, undefined];
const BAD_VECTORS: readonly unknown[] = [
  [],
  [0, 0],
  [Number.NaN],
  [Infinity],
  [1e39],
  ["1"],
  [null],
  "vector",
  7,
  null,
  {},
];
const BAD_METADATA: readonly unknown[] = [
  null,
  [],
  "text",
  7,
  new Date(0),
  new Map(),
  { at: new Date(0) },
  { call: () => 1 },
  { gone: undefined },
  { not: Number.NaN },
  { nul: "\0" },
  { "half \ud800": 1 },
  { big: 1n },
  cyclic(),
];

const CALLS: readonly Call[] = [
  {
    name: "remember",
    good: { subjectKey: "customer:ramesh", text: "said" },
    call: (memory, fields) => memory.remember(fields),
    bad: [
      ...each("subjectKey", [...BAD_KEYS, undefined]),
      ...each("text", BAD_TEXTS),
      ...each("alsoAbout", [
        "one",
        [""],
        [LONG_KEY],
        ["customer:ramesh"],
        ["a", "a"],
        [7],
        Array.from({ length: 33 }, (_, n) => `p:${n}`),
      ]),
      ...each("metadata", BAD_METADATA),
      ...each("embedding", BAD_VECTORS),
      ...each("kind", BAD_CODES),
      ...each("capturedAt", BAD_DATES),
      ...each("expiresAt", BAD_DATES),
      ...each("idempotencyKey", BAD_KEYS),
      ...each("provenanceKnown", [0, "yes", null]),
      { subjectkey: "customer:ramesh" },
    ],
  },
  {
    name: "derive",
    good: { kind: "summary", text: "said", sources: [{ sourceKind: "memory", sourceId: UNKNOWN_ID }] },
    call: (memory, fields) => memory.derive(fields),
    bad: [
      ...each("text", BAD_TEXTS),
      ...each("kind", [...BAD_CODES, undefined]),
      ...each("metadata", BAD_METADATA),
      ...each("embedding", BAD_VECTORS),
      ...each("sources", [
        "one",
        [UNKNOWN_ID],
        [{ sourceKind: "placement", sourceId: UNKNOWN_ID }],
        [{ sourceKind: "memory", sourceId: 7 }],
        [{ sourceKind: "memory", sourceId: UNKNOWN_ID, depth: 1 }],
        Array.from({ length: 4097 }, () => ({ sourceKind: "memory", sourceId: UNKNOWN_ID })),
      ]),
      { subjectKey: "customer:ramesh" },
    ],
  },
  {
    name: "recall",
    good: { text: "said" },
    call: (memory, fields) => memory.recall(fields),
    bad: [
      { text: undefined },
      ...each("text", BAD_TEXTS),
      ...each("embedding", BAD_VECTORS),
      ...each("subjectKey", BAD_KEYS),
      ...each("kinds", ["memory", [], ["Upper"], [7], null]),
      ...each("include", ["all", 7, null]),
      ...each("metadata", BAD_METADATA),
      ...each("limit", BAD_LIMITS),
      ...each("strategy", ["bm24", 7, null]),
      ...each("minScore", [-0.1, 1.1, Number.NaN, "1", null]),
      { text: undefined, embedding: [1], strategy: "lexical" },
      { query: "said" },
    ],
  },
  {
    name: "forget",
    good: { subjectKey: "customer:ramesh" },
    call: (memory, fields) => memory.forget(fields),
    bad: badScopes(),
  },
  {
    name: "erasures.open",
    good: { subjectKey: "customer:ramesh" },
    call: (memory, fields) => memory.erasures.open(fields),
    bad: badScopes(),
  },
  {
    name: "previewForget",
    good: { subjectKey: "customer:ramesh" },
    call: (memory, fields) => memory.previewForget(fields),
    bad: [
      { subjectKey: undefined },
      ...each("subjectKey", BAD_KEYS),
      ...each("memoryIds", [[], UNKNOWN_ID, ["not-an-id"], [null]]),
      { reason: "operator" },
    ],
  },
  {
    name: "listMemories",
    good: {},
    call: (memory, fields) => memory.listMemories(fields),
    bad: badLists(),
  },
  {
    name: "listDerived",
    good: {},
    call: (memory, fields) => memory.listDerived(fields),
    bad: badLists(),
  },
  {
    name: "lineage",
    good: { kind: "memory", id: UNKNOWN_ID },
    call: (memory, fields) => memory.lineage(fields),
    bad: [...each("kind", ["placement", 7, null, undefined]), ...each("id", [7, null, undefined, {}])],
  },
  {
    name: "setEmbeddings",
    good: { items: [] },
    call: (memory, fields) => memory.setEmbeddings(fields),
    bad: [
      ...each("items", [null, "all", [7], undefined]),
      ...each(
        "items",
        BAD_IDS.map((id) => [{ kind: "memory", id, embedding: [1] }]),
      ),
      ...each(
        "items",
        BAD_VECTORS.map((embedding) => [{ kind: "memory", id: UNKNOWN_ID, embedding }]),
      ),
      { items: [{ kind: "placement", id: UNKNOWN_ID, embedding: [1] }] },
    ],
  },
  {
    name: "reindexTerms",
    good: {},
    call: (memory, fields) => memory.reindexTerms(fields),
    bad: each("limit", BAD_LIMITS),
  },
  {
    name: "erasures.status",
    good: { tombstoneId: UNKNOWN_ID },
    call: (memory, fields) => memory.erasures.status(fields),
    bad: each("tombstoneId", [7, null, {}, undefined]),
  },
  {
    name: "erasures.resume",
    good: { tombstoneId: UNKNOWN_ID },
    call: (memory, fields) => memory.erasures.resume(fields),
    bad: each("tombstoneId", [7, null, {}, undefined]),
  },
  {
    name: "erasures.list",
    good: {},
    call: (memory, fields) => memory.erasures.list(fields),
    bad: [
      ...each("state", ["open", 7, null]),
      ...each("olderThan", BAD_DATES),
      ...each("limit", BAD_LIMITS),
      ...each("cursor", [7, null, "", "nonsense"]),
      { subjectKey: "customer:ramesh" },
    ],
  },
  {
    name: "erasures.assertAuditable",
    good: { memoryId: UNKNOWN_ID },
    call: (memory, fields) => memory.erasures.assertAuditable(fields),
    bad: [...each("memoryId", [...BAD_IDS, undefined]), ...each("derivedId", BAD_IDS), { derivedId: UNKNOWN_ID }],
  },
];

describeEachStore("bad input", (given) => {
  describe.each(CALLS)("to $name", ({ good, call, bad }) => {
    test("is refused as InvalidInputError, and nothing is stored, opened or sent", async () => {
      const embedder = aRecordingEmbedder();
      const { memory, tenantKey } = await given.tenant({ embedder });
      const inputs: readonly unknown[] = [
        ...bad.map((fields) => ({ tenantKey, ...good, ...fields })),
        ...BAD_KEYS.map((badKey) => ({ ...good, tenantKey: badKey })),
        good,
        null,
        undefined,
        "input",
        [],
      ];

      for (const [index, input] of inputs.entries()) {
        const error = await call(memory, input as never).then(
          () => "nothing thrown",
          (thrown: unknown) => thrown,
        );
        expect(error, `input ${index}: ${shorten(input)}`).toBeInstanceOf(InvalidInputError);
      }

      expect(embedder.seen).toEqual([]);
      expect((await memory.listMemories({ tenantKey })).rows).toEqual([]);
      expect((await memory.listDerived({ tenantKey })).rows).toEqual([]);
      expect(await memory.erasureHistory(tenantKey)).toEqual([]);
    });
  });

  test("to the methods that take plain arguments is refused as well", async () => {
    const { memory, tenantKey } = await given.tenant();

    for (const key of BAD_KEYS as readonly never[]) {
      await expect(memory.getMemory(key, UNKNOWN_ID)).rejects.toThrow(InvalidInputError);
      await expect(memory.getDerived(key, UNKNOWN_ID)).rejects.toThrow(InvalidInputError);
      await expect(memory.erasureHistory(key)).rejects.toThrow(InvalidInputError);
      await expect(memory.erasureHistory(tenantKey, { subjectKey: key })).rejects.toThrow(InvalidInputError);
      expect(() => memory.subjectFingerprint(key, "customer:ramesh")).toThrow(InvalidInputError);
      expect(() => memory.subjectFingerprint(tenantKey, key)).toThrow(InvalidInputError);
    }
    await expect(memory.erasureHistory(tenantKey, { limit: 0 })).rejects.toThrow(InvalidInputError);
    await expect(memory.erasureHistory(tenantKey, { before: "not-an-id" })).rejects.toThrow(InvalidInputError);
  });

  test("a malformed id looks up nothing, like an unknown one", async () => {
    const { memory, tenantKey } = await given.tenant();

    for (const id of ["", "not-an-id", `${UNKNOWN_ID}x`, UNKNOWN_ID]) {
      expect(await memory.getMemory(tenantKey, id)).toBeNull();
      expect(await memory.getDerived(tenantKey, id)).toBeNull();
    }
  });

  test("an id is found in upper case too", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey }));

    expect(await memory.getMemory(tenantKey, row.memoryId.toUpperCase())).toEqual(row);
    expect(await memory.forget({ tenantKey, memoryIds: [row.memoryId.toUpperCase()] })).toMatchObject({
      counts: { memories: 1 },
    });
  });

  test("never quotes what was given, in the message, in a property or as JSON", async () => {
    const { memory, tenantKey } = await given.tenant();
    const secret = "ramesh-kumar-9876543210";

    const answers = await Promise.allSettled([
      memory.remember(aMemory({ tenantKey, kind: secret })),
      memory.remember(aMemory({ tenantKey, [secret]: 1 } as never)),
      memory.remember(aMemory({ tenantKey, capturedAt: secret })),
      memory.remember(aMemory({ tenantKey, metadata: { [secret]: undefined } as never })),
      memory.forget({ tenantKey, memoryIds: [secret] }),
      memory.forget({ tenantKey, subjectKey: "customer:ramesh", reason: secret as never }),
      memory.derive({ tenantKey, kind: "summary", text: "x", sources: [{ sourceKind: "memory", sourceId: secret }] }),
      memory.listMemories({ tenantKey, cursor: secret }),
    ]);

    for (const answer of answers) {
      const error = (answer as PromiseRejectedResult).reason as MemoryError;
      expect(error).toBeInstanceOf(MemoryError);
      const said = [error.message, error.stack, JSON.stringify(error), JSON.stringify(Object.values(error))];
      expect(said.join()).not.toContain(secret);
    }
  });
});

function badScopes(): Fields[] {
  return [
    { subjectKey: undefined },
    ...each("subjectKey", BAD_KEYS),
    ...each("memoryIds", [[], UNKNOWN_ID, ["not-an-id"], [null], Array.from({ length: 10_001 }, () => UNKNOWN_ID)]),
    ...each("reason", ["because", 7, null]),
    ...each("legalBasis", ["gdpr_99", "Upper", 7, null]),
    ...each("requestedBy", [
      "operator",
      null,
      {},
      { role: "king" },
      { role: "operator", id: "no pepper" },
      { role: "operator", name: "x" },
    ]),
    ...each("requestId", BAD_KEYS),
    ...each("previewToken", ["", 7, null]),
    { subjectkey: "customer:ramesh" },
  ];
}

function badLists(): Fields[] {
  return [
    ...each("subjectKey", BAD_KEYS),
    ...each("embedded", [true, null, 7, {}, { dimensionsNot: 0 }, { dimensionsNot: 1.5 }, { dimensions: 3 }]),
    ...each("limit", BAD_LIMITS),
    ...each("cursor", [7, null, "", "nonsense"]),
    { text: "said" },
  ];
}

function each(field: string, values: readonly unknown[]): Fields[] {
  return values.map((value) => ({ [field]: value }));
}

function cyclic(): Fields {
  const metadata: Fields = {};
  metadata["self"] = metadata;
  return metadata;
}

function shorten(input: unknown): string {
  try {
    return JSON.stringify(input).slice(0, 200);
  } catch {
    return "an input without JSON";
  }
}

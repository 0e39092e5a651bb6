import { describe, expect, test } from "vitest";
import { Memory } from "../../src/memory.js";
import { aStoreWithPorts } from "./ports.js";

const ID = "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a";
const T = { tenantKey: "acme" };
const REF = { ...T, tombstoneId: ID };
const PLACED = { ...REF, placementId: ID };
const SOURCES = [{ sourceKind: "memory", sourceId: ID }];
const COPY = { ...T, sink: "cache", ref: "point 1", kind: "embedding", sources: SOURCES };

type Call = (memory: Memory, input: never) => unknown;

/** What each verb is given where all is well, and one wrong value for each field of it. */
const VERBS: Readonly<Record<string, { call: Call; good: object; bad: Readonly<Record<string, readonly unknown[]>> }>> =
  {
    recordPlacement: {
      call: (memory, input) => memory.recordPlacement(input),
      good: { ...COPY, writeWithin: 0.5 },
      bad: {
        sink: [undefined, "Cache", "a b", "9lives", "cache-12345", "a".repeat(65), 7],
        ref: [undefined, "", " ", "nul\0", "half \ud800", "x".repeat(8193), 7],
        kind: [undefined, "Embedding", "k-12345"],
        sources: ["all", 7, [{ sourceKind: "person", sourceId: ID }], [...SOURCES, ...SOURCES]],
        writeWithin: [-1, Number.NaN, Infinity, 1e9, "60", null],
      },
    },
    "placements.written": {
      call: (memory, input) => memory.placements.written(input),
      good: { ...T, placementId: ID, ref: "point 2" },
      bad: { placementId: [undefined, 7], ref: ["", 7, "nul\0"] },
    },
    "placements.abandoned": {
      call: (memory, input) => memory.placements.abandoned(input),
      good: { ...T, placementId: ID },
      bad: { placementId: [undefined, null] },
    },
    "sinks.register": {
      call: (memory, input) => memory.sinks.register(input),
      good: { ...T, sink: "cache", requiredProof: "absent" },
      bad: { sink: [undefined, "Ramesh's cache"], requiredProof: ["requested", "acknowledged", "gone", null] },
    },
    "sinks.list": { call: (memory, input) => memory.sinks.list(input), good: T, bad: {} },
    "erasures.attempt": {
      call: (memory, input) => memory.erasures.attempt(input),
      good: { ...PLACED, outcome: "failed", code: "timeout" },
      bad: { placementId: [undefined, 7], outcome: [undefined, "done"], code: ["ECONNRESET 10.0.0.1", null] },
    },
    "erasures.confirm": {
      call: (memory, input) => memory.erasures.confirm(input),
      good: { ...PLACED, proof: "absent", by: "worker-1" },
      bad: { placementId: [undefined], proof: [undefined, "sure"], by: [undefined, "Priya", "p-12345", ""] },
    },
    "erasures.attest": {
      call: (memory, input) => memory.erasures.attest(input),
      good: { ...PLACED, by: "privacy-officer", reference: "CASE-1042" },
      bad: {
        placementId: [undefined],
        closure: [true, false, 1],
        by: [undefined, "Priya"],
        reference: [undefined, "case-1", "A-1", "CASE-", "CASE-123456789", "see mail of Priya", 7],
      },
    },
    "erasures.attest of a closure": {
      call: (memory, input) => memory.erasures.attest(input),
      good: { ...REF, closure: true, by: "privacy-officer", reference: "CASE-1042" },
      bad: { closure: [undefined, false], placementId: [ID] },
    },
    "erasures.escalate": {
      call: (memory, input) => memory.erasures.escalate(input),
      good: { ...REF, code: "sink_gone" },
      bad: { code: [undefined, "stuck"] },
    },
    "erasures.reconcile": {
      call: (memory, input) => memory.erasures.reconcile(input),
      good: { ...T, repair: false },
      bad: { repair: ["yes", 1, null], against: [null, 7, {}, ["{"], [{}], [7]] },
    },
    "erasures.expire": {
      call: (memory, input) => memory.erasures.expire(input),
      good: { ...T, limit: 5 },
      bad: { limit: [0, 1001, 1.5, "5"] },
    },
    "erasures.forgetTenant": {
      call: (memory, input) => memory.erasures.forgetTenant(input),
      good: { ...T, confirm: "acme", limit: 5 },
      bad: { confirm: [undefined, "", "acme ", "Acme", 7], limit: [0, 1001] },
    },
    "erasures.exportTombstones": { call: (memory, input) => memory.erasures.exportTombstones(input), good: T, bad: {} },
    "erasures.replay": {
      call: (memory, input) => memory.erasures.replay(input),
      good: { ...T, tombstones: [] },
      bad: { tombstones: [undefined, null, 7, {}, ["not json"], [[]], [null]] },
    },
    "restrictions.restrict": {
      call: (memory, input) => memory.restrictions.restrict(input),
      good: { ...T, subjectKey: "ramesh", memoryIds: [ID], basis: "operator" },
      bad: { subjectKey: ["", 7], memoryIds: [[], ["Ramesh"], ID], basis: [undefined, "gdpr_17_1_a", "because"] },
    },
    "restrictions.lift": {
      call: (memory, input) => memory.restrictions.lift(input),
      good: { ...T, restrictionId: ID },
      bad: { restrictionId: [undefined, 7] },
    },
    "holds.place": {
      call: (memory, input) => memory.holds.place(input),
      good: { ...T, subjectKey: "ramesh", code: "litigation", until: "2001-01-01T00:00:00Z" },
      bad: { subjectKey: [undefined, " "], code: [undefined, "court"], until: ["tomorrow", "2001-01-01", null, 0] },
    },
    "holds.release": {
      call: (memory, input) => memory.holds.release(input),
      good: { ...T, holdId: ID },
      bad: { holdId: [undefined, 7] },
    },
    "holds.list": { call: (memory, input) => memory.holds.list(input), good: T, bad: {} },
    exportSubject: {
      call: (memory, input) => memory.exportSubject(input),
      good: { ...T, subjectKey: "ramesh", includeShared: true },
      bad: { subjectKey: [undefined, "", 7], includeShared: ["yes", null] },
    },
    isForgotten: {
      call: (memory, input) => memory.isForgotten(input),
      good: { ...T, memoryIds: [ID], derivedIds: [ID], contents: [{ subjectKey: "ramesh", text: "yes" }] },
      bad: {
        memoryIds: [ID, ["Ramesh"], new Array(10_001).fill(ID)],
        derivedIds: [ID, [7]],
        contents: [
          "yes",
          ["yes"],
          [{}],
          [{ text: "" }],
          [{ text: "yes" }],
          [{ text: "yes", subjectKey: "" }],
          [{ a: 1 }],
        ],
      },
    },
    correct: {
      call: (memory, input) => memory.correct(input),
      good: { ...T, memoryId: ID, text: "something else", subjectKey: "ramesh", embedding: [1], reason: "operator" },
      bad: {
        memoryId: [undefined, 7],
        text: [undefined, "", "nul\0", 7],
        subjectKey: [""],
        embedding: [[], [0], "vector"],
        reason: ["typo"],
        legalBasis: ["GDPR Art. 16"],
        requestedBy: [{}, { role: "Ramesh" }],
      },
    },
  };

const OUTSTANDING: readonly (readonly [object, string])[] = [
  [{ lease: { owner: "Worker", seconds: 1 } }, "lease.owner"],
  [{ lease: { owner: "worker", seconds: -1 } }, "lease.seconds"],
  [{ lease: { owner: "worker" } }, "lease.seconds"],
  [{ lease: "worker" }, "lease"],
  [{ leased: true }, "options"],
];

const refused = { code: "ERR_INVALID_INPUT", retryable: false };
const PEPPERED = { subjectHashPepper: "a secret of at least thirty-two bytes" };

async function outcome(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    return error;
  }
}

describe.each(Object.entries(VERBS))("%s", (_name, { call, good, bad }) => {
  const cases = [
    ...["", " ", 7, null, undefined, "nul\0"].map((value) => ["tenantKey", value] as const),
    ...Object.entries(bad).flatMap(([field, values]) => values.map((value) => [field, value] as const)),
  ];

  test.each(cases)("refuses %s: %j, before the store is asked", async (field, value) => {
    const store = aStoreWithPorts();
    const input = { ...good, [field]: value };

    const error = await outcome(() => call(new Memory({ store, ...PEPPERED }), input as never));

    expect(error).toMatchObject({ ...refused, argument: expect.any(String) as string });
    expect([...store.asked, ...store.calls]).toEqual([]);
  });

  test.each([null, undefined, 7, "acme", [], { ...good, subjectkey: "ramesh" }, { ...good, extra: 1 }])(
    "refuses %j, before the store is asked",
    async (input) => {
      const store = aStoreWithPorts();

      const error = await outcome(() => call(new Memory({ store, ...PEPPERED }), input as never));

      expect(error).toMatchObject(refused);
      expect([...store.asked, ...store.calls]).toEqual([]);
    },
  );
});

describe("erasures.outstanding", () => {
  test.each(OUTSTANDING)("refuses %j", async (options, argument) => {
    const store = aStoreWithPorts();

    await expect(new Memory({ store }).erasures.outstanding(REF, options)).rejects.toMatchObject({
      ...refused,
      argument,
    });
    expect(store.asked).toEqual([]);
  });
});

describe("an id of nothing", () => {
  test.each<[string, (memory: Memory) => Promise<unknown>, string]>([
    ["placement", (memory) => memory.placements.written({ ...T, placementId: "Ramesh" }), "placement"],
    ["placement", (memory) => memory.placements.abandoned({ ...T, placementId: "Ramesh" }), "placement"],
    ["erasure", (memory) => memory.erasures.outstanding({ ...T, tombstoneId: "Ramesh" }), "erasure"],
    ["hold", (memory) => memory.holds.release({ ...T, holdId: "Ramesh" }), "hold"],
    ["restriction", (memory) => memory.restrictions.lift({ ...T, restrictionId: "Ramesh" }), "restriction"],
    ["memory", (memory) => memory.correct({ ...T, memoryId: "Ramesh", text: "yes" }), "memory"],
  ])("is no %s, and is not repeated", async (_what, call, what) => {
    const store = aStoreWithPorts();

    const error = await outcome(() => call(new Memory({ store })));

    expect(error).toMatchObject({ code: "ERR_NOT_FOUND", what });
    expect(String(error)).not.toContain("Ramesh");
    expect([...store.asked, ...store.calls]).toEqual([]);
  });
});

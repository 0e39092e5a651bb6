import { describe, expect, test } from "vitest";
import {
  ClosureNotEnumerableError,
  InvalidInputError,
  LegalHoldError,
  SourceForgottenError,
  StoreError,
} from "../../src/errors.js";
import { Memory } from "../../src/memory.js";
import type { OpenErasure } from "../../src/ports/memory-store.js";
import type { NewPlacement } from "../../src/ports/placement-store.js";
import { anOpenReceipt, aReceipt, storedMemory } from "./fake-store.js";
import { aStoreWithPorts } from "./ports.js";

const PEPPER = "a secret of at least thirty-two bytes";
const OTHER = "another secret of thirty-two bytes or more";
const ID = "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a";
const OTHER_ID = "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1b";
const T = { tenantKey: "acme" };
const conflict = () => new StoreError("deadlock", { retryable: true, help: "call again" });

describe("recordPlacement", () => {
  const copy = { ...T, sink: "cache", ref: "point 1", kind: "embedding" };
  const one = { sourceKind: "memory", sourceId: ID } as const;
  const two = { sourceKind: "derived", sourceId: OTHER_ID } as const;

  async function recorded(memory: Memory, input: object, store: ReturnType<typeof aStoreWithPorts>) {
    await memory.recordPlacement(input as never);
    return store.asked.at(-1)?.[2] as NewPlacement;
  }

  test("splits the sources by kind and passes the deadline on", async () => {
    const store = aStoreWithPorts();

    const placement = await recorded(new Memory({ store }), { ...copy, sources: [one, two], writeWithin: 60 }, store);

    expect(placement).toMatchObject({
      sink: "cache",
      ref: "point 1",
      kind: "embedding",
      sourceMemories: [ID],
      sourceDerived: [OTHER_ID],
      writeWithinSeconds: 60,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });

  test("makes the fingerprint from sink, ref, kind, sources, tenant and key, in no order", async () => {
    const store = aStoreWithPorts();
    const memory = new Memory({ store, subjectHashPepper: PEPPER });
    const of = async (input: object, by = memory) => (await recorded(by, input, store)).fingerprint;
    const base = await of({ ...copy, sources: [one, two] });

    expect(await of({ ...copy, sources: [two, one] })).toBe(base);
    const others = [
      await of({ ...copy, sink: "other", sources: [one, two] }),
      await of({ ...copy, ref: "point 2", sources: [one, two] }),
      await of({ ...copy, kind: "other", sources: [one, two] }),
      await of({ ...copy, sources: [one] }),
      await of({ ...copy, tenantKey: "other", sources: [one, two] }),
      await of({ ...copy, sources: [one, two] }, new Memory({ store, subjectHashPepper: OTHER })),
      await of({ ...copy, sources: [one, two] }, new Memory({ store })),
    ];
    expect(new Set([base, ...others]).size).toBe(others.length + 1);
  });
});

describe("placements.written", () => {
  test("throws for a forgotten source after the store has recorded the write", async () => {
    const store = aStoreWithPorts({ placementWritten: () => ({ placement: {}, forgotten: true }) });

    const writing = new Memory({ store }).placements.written({ ...T, placementId: ID });

    await expect(writing).rejects.toThrow(SourceForgottenError);
    await expect(writing).rejects.toMatchObject({ sourceIds: [ID], help: expect.stringMatching(/Destroy/) as string });
    expect(store.asked).toEqual([["placementWritten", "acme", ID, null]]);
  });
});

describe("erasures.attempt", () => {
  test("of a failure without a code is another one", async () => {
    const store = aStoreWithPorts();
    const { erasures } = new Memory({ store });
    const attempt = { ...T, tombstoneId: ID, placementId: OTHER_ID };

    await erasures.attempt({ ...attempt, outcome: "failed" });
    await erasures.attempt({ ...attempt, outcome: "requested" });

    expect(store.asked.map(([, , given]) => (given as { code: unknown }).code)).toEqual(["other", null]);
  });
});

describe("correct", () => {
  const row = storedMemory("acme", {
    memoryId: ID,
    subjects: [{ subjectKey: "ramesh", written: { hash: "0".repeat(64), keyId: null, check: null }, known: [] }],
    kind: "memory",
    text: "old",
    metadata: {},
    embedding: null,
    termHashes: [],
    contentTags: [],
    capturedAt: null,
    expiresAt: null,
    idempotencyHash: null,
    provenanceKnown: true,
  }).row;
  const input = { ...T, memoryId: ID, text: "new" };

  test("asks again with the same ids after a conflict", async () => {
    let left = 2;
    const store = aStoreWithPorts(
      {
        correct: () => {
          if (left-- > 0) throw conflict();
          return { memory: row, receipt: anOpenReceipt() };
        },
      },
      { getMemory: () => Promise.resolve(row) },
    );

    const result = await new Memory({ store }).correct(input);

    expect(result).toMatchObject({ receipt: { state: "in_progress" }, redactions: [], embedded: false });
    const asked = store.asked.map(([, request, replacement]) => [request, replacement]);
    expect(asked).toHaveLength(3);
    expect(asked[1]).toEqual(asked[0]);
    expect(asked[2]).toEqual(asked[0]);
  });

  test("leaves it to the row to say whose it is, and names the person of one that several share", async () => {
    for (const [alsoAbout, subject] of [
      [[], null],
      [["priya"], { subjectKey: "ramesh" }],
    ] as const) {
      const store = aStoreWithPorts(
        { correct: () => ({ memory: row, receipt: aReceipt() }) },
        { getMemory: () => Promise.resolve({ ...row, alsoAbout }) },
      );

      await new Memory({ store, subjectHashPepper: PEPPER }).correct(input);

      const [, request, replacement] = store.asked.at(-1)!;
      expect(request).toMatchObject({ origin: "correction", target: { scope: "memories", memoryIds: [ID], subject } });
      expect((replacement as { contentTags: string[] }).contentTags).toHaveLength(1 + alsoAbout.length);
    }
  });
});

describe("expire", () => {
  test("counts what a hold keeps from then on, and goes on with the others", async () => {
    const store = aStoreWithPorts(
      { expiredMemories: () => ({ groups: [[ID], [OTHER_ID]], skippedHeld: 3, more: true }) },
      {
        forget: ({ target, tombstoneId }) =>
          target.scope === "memories" && target.memoryIds.includes(ID)
            ? Promise.reject(new LegalHoldError())
            : Promise.resolve(aReceipt({ tombstoneId })),
      },
    );

    const result = await new Memory({ store }).erasures.expire({ ...T, limit: 7 });

    expect(result).toMatchObject({ skippedHeld: 4, more: true });
    expect(result.receipts).toHaveLength(1);
    expect(store.asked).toEqual([["expiredMemories", "acme", 7]]);
  });

  test("stops at what it does not understand", async () => {
    const failure = new StoreError("disk full", { retryable: false, help: "make room" });
    const store = aStoreWithPorts(
      { expiredMemories: () => ({ groups: [[ID]], skippedHeld: 0, more: false }) },
      { forget: () => Promise.reject(failure) },
    );

    await expect(new Memory({ store }).erasures.expire(T)).rejects.toBe(failure);
  });
});

describe("forgetTenant", () => {
  test("names persons by the hashes the store listed, and says that no secret vouches for them", async () => {
    const known = [
      { hash: "a".repeat(64), keyId: "k1", check: null },
      { hash: "b".repeat(64), keyId: null, check: null },
    ];
    const store = aStoreWithPorts({ subjectsWithRows: () => ({ subjects: [known], skippedHeld: 1, more: false }) });

    const result = await new Memory({ store }).erasures.forgetTenant({ ...T, confirm: "acme" });

    expect(result).toEqual({ complete: 1, inProgress: 0, skippedHeld: 1, more: false });
    expect((store.callsOf("forget")[0]?.[0] as OpenErasure).target).toEqual({
      scope: "subject",
      subject: { subjectKey: null, written: known[0], known, listed: true },
    });
  });
});

describe("replay", () => {
  test("goes on to the end of each erasure, and after a conflict", async () => {
    let conflicts = 1;
    let steps = 2;
    const store = aStoreWithPorts(
      {
        openReplay: (_tenantKey: string, tombstoneId: string) => {
          if (conflicts-- > 0) throw conflict();
          return anOpenReceipt({ tombstoneId });
        },
      },
      {
        advanceErasure: (_tenantKey, tombstoneId) =>
          Promise.resolve({ receipt: aReceipt({ tombstoneId }), advanced: steps-- > 0 }),
      },
    );

    const { receipts } = await new Memory({ store }).erasures.replay({ ...T, tombstones: [aRecord()] });

    const [first, second] = store.asked.map(([, , tombstoneId]) => tombstoneId);
    expect(second).toBe(first);
    expect(receipts).toMatchObject([{ tombstoneId: first, state: "complete" }]);
    expect(store.callsOf("advanceErasure")).toHaveLength(3);
  });

  test("checks a list whole, and a stream record by record", async () => {
    const store = aStoreWithPorts({ openReplay: () => null });
    const { erasures } = new Memory({ store });
    const bad = { ...aRecord(), reason: "because" };

    await expect(erasures.replay({ ...T, tombstones: [aRecord(), bad] })).rejects.toThrow(InvalidInputError);
    expect(store.asked).toEqual([]);
    await expect(erasures.replay({ ...T, tombstones: new Set([aRecord(), bad]) })).rejects.toThrow(InvalidInputError);
    expect(store.asked).toHaveLength(1);
  });
});

describe("reconcile", () => {
  const clean = { findings: [], persons: [], looked: 0, untagged: 0, next: null };

  test("goes through every stage, page after page", async () => {
    const store = aStoreWithPorts({
      reconcilePage: (_tenantKey: string, { stage, after }: { stage: string; after: string | null }) => ({
        ...clean,
        looked: 2,
        untagged: 1,
        next: stage === "memories" && after === null ? ID : null,
      }),
    });

    const { coverage } = await new Memory({ store }).erasures.reconcile(T);

    expect(store.asked.map(([, , page]) => page)).toEqual([
      { stage: "rules", after: null, limit: 1000 },
      { stage: "tombstones", after: null, limit: 1000 },
      { stage: "memories", after: null, limit: 1000 },
      { stage: "memories", after: ID, limit: 1000 },
      { stage: "derived", after: null, limit: 1000 },
      { stage: "placements", after: null, limit: 1000 },
      { stage: "persons", after: null, limit: 1000 },
    ]);
    expect(coverage).toMatchObject({ memories: 4, derived: 2, placements: 2, tombstones: 2, contentUnchecked: 7 });
  });

  test("asks for an export's tombstones in batches of 1,000", async () => {
    const store = aStoreWithPorts({ reconcilePage: () => clean, missingTombstones: () => [] });
    const against = Array.from({ length: 2500 }, () => JSON.stringify(aRecord()));

    await new Memory({ store }).erasures.reconcile({ ...T, against });

    const batches = store.asked.filter(([method]) => method === "missingTombstones");
    expect(batches.map(([, , ids]) => (ids as string[]).length)).toEqual([1000, 1000, 500]);
  });

  test("repairs what erasing again can put right, in a few erasures, and nothing else", async () => {
    const found = [
      ["rule_disabled", "rule", "memory_is_immutable"],
      ["subject_mismatch", "memory", OTHER_ID],
      ["count_mismatch", "tombstone", OTHER_ID],
      ["forgotten_but_live", "memory", ID],
      ["content_reappeared", "memory", ID],
      ["source_missing", "derived", ID],
      ["source_forgotten", "derived", OTHER_ID],
      ["placement_source_missing", "placement", OTHER_ID],
      ["erasure_overdue", "tombstone", ID],
    ].map(([code, kind, id]) => ({ code, kind, id }));
    const store = aStoreWithPorts({
      reconcilePage: (_tenantKey: string, { stage }: { stage: string }) => ({
        ...clean,
        findings: stage === "rules" ? found : [],
      }),
    });

    const answer = await new Memory({ store }).erasures.reconcile({ ...T, repair: true });

    expect(answer).toMatchObject({ verdict: "residue", findings: found, repaired: 6 });
    const requests = store.callsOf("forget").map(([request]) => request as OpenErasure);
    expect(requests.map(({ target }) => target)).toEqual([
      { scope: "memories", memoryIds: [ID], subject: null },
      { scope: "derived", derivedIds: [ID, OTHER_ID], placementIds: [OTHER_ID] },
    ]);
    for (const request of requests) {
      expect(request).toMatchObject({ reason: "operator", origin: "forget", requestedBy: { role: "system" } });
    }
    expect(store.callsOf("advanceErasure")).toEqual([["acme", ID, 50_000]]);
  });
});

describe("rows from before there was a pepper", () => {
  const missing = (keyId: string | null) => new ClosureNotEnumerableError("a key is missing", "configure it", keyId);
  const keyIds = (subject: unknown) => (subject as { keyId: string | null }[]).map(({ keyId }) => keyId);

  test("make a call be repeated once with the plain hash, and are remembered for the tenant alone", async () => {
    const asked: (readonly [string, (string | null)[]])[] = [];
    const store = aStoreWithPorts(
      {},
      {
        listMemories: (tenantKey, { subject }) => {
          asked.push([tenantKey, keyIds(subject)]);
          const known = keyIds(subject).includes(null) || tenantKey === "other";
          return known ? Promise.resolve({ rows: [], nextCursor: null }) : Promise.reject(missing(null));
        },
      },
    );
    const memory = new Memory({ store, subjectHashPepper: PEPPER });

    await memory.listMemories({ ...T, subjectKey: "ramesh" });
    await memory.listMemories({ ...T, subjectKey: "priya" });
    await memory.listMemories({ tenantKey: "other", subjectKey: "ramesh" });

    expect(asked).toEqual([
      ["acme", ["default"]],
      ["acme", ["default", null]],
      ["acme", ["default", null]],
      ["other", ["default"]],
    ]);
  });

  test("let later writes link the person's hashes, under the first key still", async () => {
    const store = aStoreWithPorts(
      {},
      {
        tombstones: (_tenantKey, { subject }) =>
          keyIds(subject).includes(null) ? Promise.resolve([]) : Promise.reject(missing(null)),
      },
    );
    const memory = new Memory({ store, subjectHashPepper: PEPPER });
    await memory.erasureHistory("acme", { subjectKey: "ramesh" });

    await memory.remember({ ...T, subjectKey: "ramesh", text: "yes" });

    const [, rows, options] = store.callsOf("insertMemories")[0]!;
    const [row] = rows as { subjects: { written: { keyId: string }; known: unknown }[] }[];
    expect(row?.subjects[0]).toMatchObject({ written: { keyId: "default" } });
    expect(keyIds(row?.subjects[0]?.known)).toEqual(["default", null]);
    expect(options).toMatchObject({ keys: [{ keyId: "default" }, { keyId: null, check: null }] });
  });

  test("are asked for once in each tenant, before anything is written or read there", async () => {
    const store = aStoreWithPorts({ keysInUse: (tenantKey: string) => (tenantKey === "acme" ? ["k1", null] : ["k1"]) });
    const memory = new Memory({ store, subjectHashPepper: PEPPER });

    for (const tenantKey of ["acme", "acme", "other"]) {
      await memory.remember({ tenantKey, subjectKey: "ramesh", text: "yes" });
      await memory.recall({ tenantKey, text: "yes" });
      await memory.listMemories({ tenantKey, subjectKey: "ramesh" });
    }

    expect(store.asked).toEqual([
      ["keysInUse", "acme"],
      ["keysInUse", "other"],
    ]);
    const [first, second, third] = store.callsOf("insertMemories").map(([, , options]) => options);
    expect(first).toMatchObject({ keys: [{ keyId: "default" }, { keyId: null }] });
    expect(second).toEqual(first);
    expect(third).toMatchObject({ keys: [{ keyId: "default" }] });
    const terms = store.callsOf("recallLexical").map(([, query]) => (query as { terms: unknown[][] }).terms[0]?.length);
    expect(terms).toEqual([2, 2, 1]);
  });

  test("are nobody's concern without a pepper", async () => {
    const store = aStoreWithPorts({ keysInUse: () => [null] });

    await new Memory({ store }).remember({ ...T, subjectKey: "ramesh", text: "yes" });

    expect(store.asked).toEqual([]);
  });

  test.each([["k1"], [undefined]])("are not what a missing key %j is about: the caller is told", async (keyId) => {
    const error = missing(keyId as string);
    const store = aStoreWithPorts({}, { listMemories: () => Promise.reject(error) });

    const listing = new Memory({ store, subjectHashPepper: PEPPER }).listMemories({ ...T, subjectKey: "ramesh" });

    await expect(listing).rejects.toBe(error);
    expect(store.callsOf("listMemories")).toHaveLength(1);
  });

  test("do not make a call go round for ever", async () => {
    const store = aStoreWithPorts({}, { listMemories: () => Promise.reject(missing(null)) });
    const memory = new Memory({ store, subjectHashPepper: PEPPER });

    await expect(memory.listMemories({ ...T, subjectKey: "ramesh" })).rejects.toThrow(ClosureNotEnumerableError);
    expect(store.callsOf("listMemories")).toHaveLength(2);
  });
});

function aRecord() {
  return {
    v: 1,
    tombstoneId: ID,
    tenantKey: "acme",
    scope: "subject",
    subjectHash: "a".repeat(64),
    subjectKeyId: null,
    origin: "forget",
    reason: "subject_request",
    legalBasis: "unspecified",
    openedAt: "2024-05-01T00:00:00.000000+00:00",
    memoryIds: [],
    derivedIds: [],
    placementIds: [],
  } as const;
}

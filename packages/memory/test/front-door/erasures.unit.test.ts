import { describe, expect, test } from "vitest";
import { StoreError } from "../../src/errors.js";
import { Memory } from "../../src/memory.js";
import type { OpenErasure, ReceiptQuery, StoreScope, TombstoneQuery } from "../../src/ports/memory-store.js";
import { aFakeStore, anOpenReceipt, aReceipt } from "./fake-store.js";

const PEPPER = "a secret of at least thirty-two bytes";
const ID = "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a";
const OTHER_ID = "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1b";
const RAMESH = { tenantKey: "acme", subjectKey: "ramesh" };
const REF = { tenantKey: "acme", tombstoneId: ID };
const conflict = () => new StoreError("deadlock", { retryable: true, help: "call again" });
const requestOf = (store: ReturnType<typeof aFakeStore>, method: "forget" | "openErasure") =>
  store.callsOf(method)[0]?.[0] as OpenErasure;

describe("forget", () => {
  test("asks for a person's erasure with the defaults, and resolves for a confirmed closure", async () => {
    const store = aFakeStore();
    const memory = new Memory({ store });

    const receipt = await memory.forget(RAMESH);

    const known = [{ hash: memory.subjectFingerprint("acme", "ramesh"), keyId: null, check: null }];
    expect(requestOf(store, "forget")).toEqual({
      tenantKey: "acme",
      tombstoneId: receipt.tombstoneId,
      target: { scope: "subject", subject: { subjectKey: "ramesh", written: known[0], known } },
      reason: "subject_request",
      legalBasis: "unspecified",
      origin: "forget",
      requestedBy: { role: "unspecified", idHash: null },
      requestHash: null,
      previewToken: null,
    });
    expect(store.callsOf("forget")[0]?.[1]).toBe(50_000);
    expect(receipt.state).toBe("complete");
  });

  test("passes everything on, ids as keyed hashes and each memory once", async () => {
    const store = aFakeStore();

    await new Memory({ store, subjectHashPepper: PEPPER, destroyChunkRows: 7 }).forget({
      ...RAMESH,
      memoryIds: [ID.toUpperCase(), OTHER_ID, ID],
      reason: "operator",
      legalBasis: "dpdp_12",
      requestedBy: { role: "data_principal", id: "ticket 9876543210" },
      requestId: "ticket 9876543210",
      previewToken: "token",
    });

    const request = requestOf(store, "forget");
    expect(request).toMatchObject({
      target: { scope: "memories", memoryIds: [ID, OTHER_ID], subject: { subjectKey: "ramesh" } },
      reason: "operator",
      legalBasis: "dpdp_12",
      requestedBy: { role: "data_principal", idHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      requestHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      previewToken: "token",
    });
    expect(request.requestedBy.idHash).not.toBe(request.requestHash);
    expect(store.callsOf("forget")[0]?.[1]).toBe(7);
  });

  test("of chosen memories may leave it to the store to find the person", async () => {
    const store = aFakeStore();

    await new Memory({ store }).forget({ tenantKey: "acme", memoryIds: [ID] });

    expect(requestOf(store, "forget").target).toEqual({ scope: "memories", memoryIds: [ID], subject: null });
  });

  test.each([
    ["in progress", anOpenReceipt()],
    ["escalated", anOpenReceipt({ state: "escalated", escalation: { code: "closure_unknown", at: "" } })],
    ["closed by a person's word", aReceipt({ closure: "attested" })],
  ])("throws with the receipt where the erasure is %s", async (_case, receipt) => {
    const store = aFakeStore({ forget: () => Promise.resolve(receipt) });

    await expect(new Memory({ store }).forget(RAMESH)).rejects.toMatchObject({
      code: "ERR_FORGET_INCOMPLETE",
      receipt,
    });
  });

  test("asks again for the same tombstone after a conflict, five times at most", async () => {
    let left = 5;
    const store = aFakeStore({
      forget: ({ tombstoneId }) =>
        left-- > 0 ? Promise.reject(conflict()) : Promise.resolve(aReceipt({ tombstoneId })),
    });

    const receipt = await new Memory({ store }).forget(RAMESH);

    const ids = store.callsOf("forget").map(([request]) => (request as OpenErasure).tombstoneId);
    expect(ids).toEqual(new Array(6).fill(receipt.tombstoneId));

    const stuck = aFakeStore({ forget: () => Promise.reject(conflict()) });
    await expect(new Memory({ store: stuck }).forget(RAMESH)).rejects.toMatchObject({ code: "ERR_STORE" });
    expect(stuck.callsOf("forget")).toHaveLength(6);
  });

  test("does not ask again where that would not help", async () => {
    const error = new StoreError("disk full", { retryable: false, help: "make room" });
    const store = aFakeStore({ forget: () => Promise.reject(error) });

    await expect(new Memory({ store }).forget(RAMESH)).rejects.toBe(error);
    expect(store.calls).toHaveLength(1);
  });

  test.each<[string, object, string]>([
    ["no person and no memories", {}, "subjectKey"],
    ["no memory at all", { memoryIds: [] }, "memoryIds"],
    ["10,001 memories", { memoryIds: new Array(10_001).fill(ID) }, "memoryIds"],
    ["memories that are no list", { memoryIds: ID }, "memoryIds"],
    ["a malformed id", { memoryIds: [ID, "Ramesh"] }, "memoryIds[1]"],
    ["a blank person", { subjectKey: " " }, "subjectKey"],
    ["an unknown reason", { subjectKey: "a", reason: "Ramesh asked" }, "reason"],
    ["prose for a legal basis", { subjectKey: "a", legalBasis: "GDPR Art. 17" }, "legalBasis"],
    ["a number in a legal basis", { subjectKey: "a", legalBasis: "case_12345" }, "legalBasis"],
    ["a requester without a role", { subjectKey: "a", requestedBy: {} }, "requestedBy.role"],
    ["a requester of an unknown role", { subjectKey: "a", requestedBy: { role: "Ramesh" } }, "requestedBy.role"],
    ["a requester's name", { subjectKey: "a", requestedBy: { role: "operator", name: "R" } }, "requestedBy"],
    [
      "a requester's id without a pepper",
      { subjectKey: "a", requestedBy: { role: "operator", id: "r" } },
      "requestedBy.id",
    ],
    ["a blank request id", { subjectKey: "a", requestId: "" }, "requestId"],
    ["a token that is no string", { subjectKey: "a", previewToken: 1 }, "previewToken"],
    ["a misspelt field", { subjectkey: "a" }, "input"],
  ])("refuses %s, and opens nothing", async (_case, input, argument) => {
    const store = aFakeStore();
    const memory = new Memory({ store });
    const refused = { code: "ERR_INVALID_INPUT", argument };

    await expect(memory.forget({ tenantKey: "acme", ...input } as never)).rejects.toMatchObject(refused);
    await expect(memory.erasures.open({ tenantKey: "acme", ...input } as never)).rejects.toMatchObject(refused);
    expect(store.calls).toEqual([]);
  });
});

describe("previewForget", () => {
  test("asks for the same scope as forget would", async () => {
    const preview = { token: "t" };
    const store = aFakeStore({ previewErasure: () => Promise.resolve(preview as never) });
    const memory = new Memory({ store });

    expect(await memory.previewForget(RAMESH)).toBe(preview);
    await memory.forget(RAMESH);

    expect(store.callsOf("previewErasure")[0]).toEqual([
      "acme",
      requestOf(store, "forget").target satisfies StoreScope,
    ]);
    await expect(memory.previewForget({ ...RAMESH, reason: "operator" } as never)).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
    });
  });
});

describe("erasures", () => {
  test("open asks for step 1 alone, again after a conflict", async () => {
    let left = 1;
    const store = aFakeStore({
      openErasure: ({ tombstoneId }) =>
        left-- > 0 ? Promise.reject(conflict()) : Promise.resolve(anOpenReceipt({ tombstoneId })),
    });

    const receipt = await new Memory({ store }).erasures.open(RAMESH);

    expect(receipt).toMatchObject({ state: "in_progress" });
    expect(store.callsOf("openErasure")).toHaveLength(2);
    expect(store.callsOf("forget")).toEqual([]);
  });

  test("resume goes on until nothing advances, and does not throw for incompleteness", async () => {
    const waiting = anOpenReceipt({ outstanding: [{ placementId: ID, sink: "cache" }] });
    let left = 3;
    const store = aFakeStore({
      advanceErasure: () => Promise.resolve({ receipt: waiting, advanced: left-- > 0 }),
    });

    expect(await new Memory({ store, destroyChunkRows: 5 }).erasures.resume(REF)).toBe(waiting);
    expect(store.callsOf("advanceErasure")).toEqual(new Array(4).fill(["acme", ID, 5]));
  });

  test("resume goes on after a conflict", async () => {
    let left = 2;
    const store = aFakeStore({
      advanceErasure: () =>
        left-- > 0 ? Promise.reject(conflict()) : Promise.resolve({ receipt: aReceipt(), advanced: false }),
    });

    expect(await new Memory({ store }).erasures.resume(REF)).toMatchObject({ state: "complete" });
  });

  test("of an unknown or malformed id are not found, and nothing is advanced", async () => {
    const store = aFakeStore({ receipt: () => Promise.resolve(null) });
    const { erasures } = new Memory({ store });
    const missing = { code: "ERR_NOT_FOUND", what: "erasure" };

    for (const ref of [REF, { ...REF, tombstoneId: "Ramesh" }]) {
      await expect(erasures.status(ref)).rejects.toMatchObject(missing);
      await expect(erasures.resume(ref)).rejects.toMatchObject(missing);
    }
    expect(store.callsOf("advanceErasure")).toEqual([]);
    await expect(erasures.status({ tenantKey: "acme" } as never)).rejects.toMatchObject({ argument: "tombstoneId" });
  });

  test("status gives the receipt", async () => {
    const store = aFakeStore();

    expect(await new Memory({ store }).erasures.status({ ...REF, tombstoneId: ID.toUpperCase() })).toEqual(aReceipt());
    expect(store.calls).toEqual([["receipt", "acme", ID]]);
  });

  test("list passes its filters on and names its receipts", async () => {
    const receipts = [aReceipt()];
    const store = aFakeStore({ listReceipts: () => Promise.resolve({ rows: receipts, nextCursor: "next" }) });
    const { erasures } = new Memory({ store });

    expect(await erasures.list({ tenantKey: "acme" })).toEqual({ receipts, nextCursor: "next" });
    await erasures.list({ tenantKey: "acme", state: "escalated", olderThan: new Date(0), limit: 5, cursor: "c" });

    expect(store.callsOf("listReceipts").map(([, query]) => query as ReceiptQuery)).toEqual([
      { state: null, olderThan: null, limit: 100, cursor: null },
      { state: "escalated", olderThan: "1970-01-01T00:00:00.000Z", limit: 5, cursor: "c" },
    ]);
  });

  test.each<[object, string]>([
    [{ state: "done" }, "state"],
    [{ olderThan: "yesterday" }, "olderThan"],
    [{ limit: 1001 }, "limit"],
    [{ cursor: "" }, "cursor"],
    [{ page: 2 }, "input"],
  ])("list refuses %j", async (input, argument) => {
    const { erasures } = new Memory({ store: aFakeStore() });

    await expect(erasures.list({ tenantKey: "acme", ...input })).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      argument,
    });
  });
});

describe("assertAuditable", () => {
  test("gives the closed receipt of the tombstone that covers the row", async () => {
    const attested = aReceipt({ closure: "attested" });
    const store = aFakeStore({
      tombstoneCovering: () => Promise.resolve(OTHER_ID),
      receipt: () => Promise.resolve(attested),
    });
    const { erasures } = new Memory({ store });

    expect(await erasures.assertAuditable({ tenantKey: "acme", memoryId: ID })).toBe(attested);
    expect(await erasures.assertAuditable({ tenantKey: "acme", derivedId: ID })).toBe(attested);
    expect(store.callsOf("tombstoneCovering").map(([, kind]) => kind)).toEqual(["memory", "derived"]);
    expect(store.callsOf("receipt")[0]).toEqual(["acme", OTHER_ID]);
  });

  test("says that there is no tombstone, or that the erasure is not closed", async () => {
    const row = { tenantKey: "acme", memoryId: ID };
    const none = new Memory({ store: aFakeStore() });
    const open = new Memory({
      store: aFakeStore({
        tombstoneCovering: () => Promise.resolve(ID),
        receipt: () => Promise.resolve(anOpenReceipt()),
      }),
    });

    await expect(none.erasures.assertAuditable(row)).rejects.toMatchObject({ code: "ERR_TOMBSTONE_ORDERING" });
    await expect(open.erasures.assertAuditable(row)).rejects.toMatchObject({
      code: "ERR_FORGET_INCOMPLETE",
      receipt: { state: "in_progress" },
    });
  });

  test.each<[object, string]>([
    [{}, "memoryId"],
    [{ memoryId: ID, derivedId: ID }, "derivedId"],
    [{ derivedId: "Ramesh" }, "derivedId"],
  ])("refuses %j", async (input, argument) => {
    const { erasures } = new Memory({ store: aFakeStore() });

    await expect(erasures.assertAuditable({ tenantKey: "acme", ...input } as never)).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      argument,
    });
  });
});

describe("erasureHistory", () => {
  test("finds a person under every configured key", async () => {
    const store = aFakeStore();
    const memory = new Memory({
      store,
      subjectHashPepper: [
        { id: "new", secret: PEPPER },
        { id: "old", secret: `old ${PEPPER}` },
      ],
    });

    await memory.erasureHistory("acme");
    await memory.erasureHistory("acme", { subjectKey: "ramesh", limit: 5, before: ID });

    const [all, one] = store.callsOf("tombstones").map(([, query]) => query as TombstoneQuery);
    expect(all).toEqual({ subject: null, limit: 100, before: null });
    expect(one).toMatchObject({ limit: 5, before: ID });
    expect(one?.subject).toMatchObject([
      { hash: memory.subjectFingerprint("acme", "ramesh"), keyId: "new" },
      { keyId: "old" },
    ]);
  });

  test.each<[unknown, string]>([
    [null, "options"],
    [{ subjectkey: "a" }, "options"],
    [{ before: "Ramesh" }, "before"],
    [{ limit: 0 }, "limit"],
  ])("refuses %j", async (options, argument) => {
    const memory = new Memory({ store: aFakeStore() });

    await expect(memory.erasureHistory("acme", options as never)).rejects.toMatchObject({
      code: "ERR_INVALID_INPUT",
      argument,
    });
  });
});

import { describe, expect, test } from "vitest";
import { InvalidInputError, StoreError, SubjectForgottenError } from "../../src/errors.js";
import { Memory } from "../../src/memory.js";
import type { NewDerived, NewMemory } from "../../src/ports/memory-store.js";
import { aFakeStore, storedMemory } from "./fake-store.js";
import { maskSecret } from "./redactors.js";

const PEPPER = "a secret of at least thirty-two bytes";
const ID = "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a";
const aText = (text: string) => ({ tenantKey: "acme", subjectKey: "ramesh", text });
const insertedMemories = (store: ReturnType<typeof aFakeStore>) =>
  store.callsOf("insertMemories").map(([, rows]) => rows as readonly NewMemory[]);

describe("remember", () => {
  test("gives the store the redacted text, its terms, its hashes and the defaults", async () => {
    const store = aFakeStore();
    const memory = new Memory({ store, redactor: maskSecret });

    const result = await memory.remember(aText("a secret plan"));

    expect(insertedMemories(store)[0]?.[0]).toMatchObject({
      memoryId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) as string,
      subjects: [
        {
          subjectKey: "ramesh",
          written: { hash: memory.subjectFingerprint("acme", "ramesh"), keyId: null, check: null },
          known: [{ hash: memory.subjectFingerprint("acme", "ramesh"), keyId: null, check: null }],
        },
      ],
      kind: "memory",
      text: "a [MASKED] plan",
      metadata: {},
      embedding: null,
      contentTags: [],
      capturedAt: null,
      expiresAt: null,
      idempotencyHash: null,
      provenanceKnown: true,
    });
    expect(insertedMemories(store)[0]?.[0]?.termHashes).toHaveLength(3);
    expect(result).toMatchObject({
      redactions: [{ kind: "word", start: 2, end: 8, replacement: "[MASKED]" }],
      embedded: false,
      notEmbeddedBecause: "no_embedder",
    });
  });

  test("passes on everything it was given", async () => {
    const store = aFakeStore();
    const memory = new Memory({ store, subjectHashPepper: PEPPER });

    await memory.remember({
      ...aText("A plan of forty characters, or a few more."),
      alsoAbout: ["sita"],
      kind: "note",
      metadata: { channel: "chat" },
      capturedAt: "2024-05-01T09:30:00+05:30",
      expiresAt: new Date(0),
      idempotencyKey: "message-1",
      embedding: [1, 2],
      provenanceKnown: false,
    });

    const row = insertedMemories(store)[0]?.[0];
    expect(row).toMatchObject({
      subjects: [{ subjectKey: "ramesh", written: { keyId: "default" } }, { subjectKey: "sita" }],
      kind: "note",
      metadata: { channel: "chat" },
      capturedAt: "2024-05-01T04:00:00.000Z",
      expiresAt: "1970-01-01T00:00:00.000Z",
      idempotencyHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      embedding: Float32Array.of(1, 2),
      provenanceKnown: false,
    });
    expect(row?.contentTags).toHaveLength(3);
  });

  test("keeps no subject key where the store is to keep hashes alone", async () => {
    const store = aFakeStore();

    await new Memory({ store, storeSubjectKeys: false }).remember({ ...aText("a"), alsoAbout: ["sita"] });

    expect(insertedMemories(store)[0]?.[0]?.subjects.map((subject) => subject.subjectKey)).toEqual([null, null]);
  });

  test("leaves metadata as it is, unless its strings are to be redacted", async () => {
    const metadata = { note: "a secret", list: ["secret", { deep: "secret" }], count: 1, none: null, yes: true };
    const store = aFakeStore();

    await new Memory({ store, redactor: maskSecret }).remember({ ...aText("a"), metadata });
    await new Memory({ store, redactor: maskSecret, redactMetadata: true }).remember({ ...aText("a"), metadata });

    expect(insertedMemories(store).map((rows) => rows[0]?.metadata)).toEqual([
      metadata,
      { note: "a [MASKED]", list: ["[MASKED]", { deep: "[MASKED]" }], count: 1, none: null, yes: true },
    ]);
  });

  test("shows the embedder the redacted text only, once", async () => {
    const seen: (readonly string[])[] = [];
    const store = aFakeStore();
    const embedder = {
      embed: (texts: readonly string[]) => {
        seen.push(texts);
        return Promise.resolve(texts.map(() => [1, 0]));
      },
    };

    const result = await new Memory({ store, redactor: maskSecret, embedder }).remember(aText("a secret plan"));

    expect(seen).toEqual([["a [MASKED] plan"]]);
    expect(result.embedded).toBe(true);
    expect(result).not.toHaveProperty("notEmbeddedBecause");
  });

  test("does not call the embedder where the caller brings a vector", async () => {
    const embedder = { embed: () => Promise.reject(new Error("must not be called")) };

    const result = await new Memory({ store: aFakeStore(), embedder }).remember({ ...aText("a"), embedding: [1] });

    expect(result.embedded).toBe(true);
  });

  test.each<[string, () => unknown, string]>([
    ["throws", () => Promise.reject(new Error("Ramesh")), "embedder_failed"],
    [
      "throws at once",
      () => {
        throw new Error("Ramesh");
      },
      "embedder_failed",
    ],
    ["answers nothing", () => undefined, "bad_vector"],
    ["answers too many", () => [[1], [1]], "bad_vector"],
    ["answers too few", () => [], "bad_vector"],
    ["answers an empty vector", () => [[]], "bad_vector"],
    ["answers a zero vector", () => [[0, 0]], "bad_vector"],
    ["answers NaN", () => [[Number.NaN]], "bad_vector"],
  ])("stores the row all the same where the embedder %s", async (_case, embed, reason) => {
    const store = aFakeStore();

    const result = await new Memory({ store, embedder: { embed: embed as never } }).remember(aText("a"));

    expect(result).toMatchObject({ embedded: false, notEmbeddedBecause: reason });
    expect(insertedMemories(store)[0]?.[0]?.embedding).toBeNull();
  });

  test("returns the first row of a repeat, and no offsets that would not fit it", async () => {
    const store = aFakeStore({
      insertMemories: (tenantKey, rows) =>
        Promise.resolve(
          rows.map((row) => ({
            status: "existing",
            row: storedMemory(tenantKey, { ...row, text: "another text", embedding: Float32Array.of(1) }).row,
          })),
        ),
    });

    const result = await new Memory({ store, redactor: maskSecret }).remember({
      ...aText("a secret"),
      idempotencyKey: "k",
    });

    expect(result).toMatchObject({ memory: { text: "another text" }, redactions: [], embedded: true });
    expect(result).not.toHaveProperty("notEmbeddedBecause");
  });

  test("tells the store which keys are in use and what to do with a text that was erased before", async () => {
    const store = aFakeStore();

    await new Memory({ store }).remember(aText("a"));
    await new Memory({ store, subjectHashPepper: PEPPER, onRematerialise: "refuse" }).remember(aText("a"));

    expect(store.callsOf("insertMemories").map(([, , options]) => options)).toEqual([
      { keys: [{ keyId: null, check: null }], onRematerialise: "report" },
      {
        keys: [{ keyId: "default", check: expect.stringMatching(/^[0-9a-f]{64}$/) as string }],
        onRematerialise: "refuse",
      },
    ]);
  });

  test("reports a text that was erased before, and says nothing of any other", async () => {
    const store = aFakeStore({
      insertMemories: (tenantKey, rows) =>
        Promise.resolve(rows.map((row) => ({ ...storedMemory(tenantKey, row), rematerialised: row.text === "again" }))),
    });

    const results = await new Memory({ store }).rememberMany([aText("again"), aText("new")]);

    expect(results[0]).toMatchObject({ rematerialised: true });
    expect(results[1]).not.toHaveProperty("rematerialised");
  });

  test("throws what the store refused the row with", async () => {
    const error = new SubjectForgottenError();
    const store = aFakeStore({ insertMemories: () => Promise.resolve([{ status: "refused", error }]) });

    await expect(new Memory({ store }).remember(aText("a"))).rejects.toBe(error);
  });

  test.each([[[]], [undefined]])("does not take a store's silence for success", async (answer) => {
    const store = aFakeStore({ insertMemories: () => Promise.resolve(answer as never) });

    await expect(new Memory({ store }).remember(aText("a"))).rejects.toThrow();
  });

  test("refuses a text that only its masks make too long", async () => {
    const store = aFakeStore();
    const memory = new Memory({ store, redactor: maskSecret, maxTextBytes: 6 });

    await expect(memory.remember(aText("secret"))).rejects.toThrow("also once redacted");
    expect(store.calls).toEqual([]);
  });
});

describe("rememberMany", () => {
  test("answers each input in its place, and stores those that pass", async () => {
    const store = aFakeStore();

    const results = await new Memory({ store }).rememberMany([
      aText("first"),
      aText(""),
      { ...aText("third"), tenantKey: "other" },
      null as never,
      aText("fifth"),
    ]);

    expect(results.map((result) => ("error" in result ? result.error.message : result.memory.text))).toEqual([
      "first",
      "inputs[1].text: must not be blank",
      "third",
      "inputs[3]: must be an object",
      "fifth",
    ]);
    expect(insertedMemories(store).map((rows) => rows.map((row) => row.text))).toEqual([["first", "fifth"], ["third"]]);
  });

  test("calls the embedder once for a batch, without the rows that bring a vector or were refused", async () => {
    const seen: (readonly string[])[] = [];
    const embedder = {
      embed: (texts: readonly string[]) => {
        seen.push(texts);
        return Promise.resolve(texts.map((text) => [text.length]));
      },
    };
    const store = aFakeStore();

    await new Memory({ store, embedder }).rememberMany([
      aText("one"),
      { ...aText("brings its own"), embedding: [9] },
      aText(" "),
      aText("three"),
    ]);

    expect(seen).toEqual([["one", "three"]]);
    expect(insertedMemories(store)[0]?.map((row) => row.embedding?.[0])).toEqual([3, 9, 5]);
  });

  test("spoils no other row where one vector of the batch is bad", async () => {
    const embedder = { embed: () => Promise.resolve([[1], [Number.NaN]]) };

    const results = await new Memory({ store: aFakeStore(), embedder }).rememberMany([aText("a"), aText("b")]);

    expect(results).toMatchObject([{ embedded: true }, { embedded: false, notEmbeddedBecause: "bad_vector" }]);
  });

  test("writes at most 1,000 rows in a statement, and ids that increase", async () => {
    const store = aFakeStore();
    const inputs = Array.from({ length: 2500 }, (_, i) => aText(`text ${i}`));

    const results = await new Memory({ store }).rememberMany(inputs);

    expect(insertedMemories(store).map((rows) => rows.length)).toEqual([1000, 1000, 500]);
    expect(results.map((result) => ("memory" in result ? result.memory.text : null))).toEqual(
      inputs.map((input) => input.text),
    );
    const ids = insertedMemories(store).flatMap((rows) => rows.map((row) => row.memoryId));
    expect([...ids].sort()).toEqual(ids);
  });

  test("takes 10,000 inputs and no more, and none at all", async () => {
    const store = aFakeStore();
    const memory = new Memory({ store });

    await expect(memory.rememberMany(new Array(10_001).fill(aText("a")) as never)).rejects.toThrow(InvalidInputError);
    await expect(memory.rememberMany("a" as never)).rejects.toThrow(InvalidInputError);
    expect(await memory.rememberMany([])).toEqual([]);
    expect(store.calls).toEqual([]);
  });

  test("refuses a row alone where the redactor fails on it", async () => {
    const store = aFakeStore();
    const redactor = {
      redact: (text: string) => {
        if (text === "bad") throw new Error("Ramesh");
        return { text, redactions: [] };
      },
    };

    const results = await new Memory({ store, redactor }).rememberMany([aText("bad"), aText("good")]);

    expect(results).toMatchObject([{ error: { message: "redactor: threw an error" } }, { memory: { text: "good" } }]);
    expect(insertedMemories(store)).toHaveLength(1);
    expect(insertedMemories(store)[0]).toHaveLength(1);
  });

  test("asks the store for nothing where every input was refused", async () => {
    const store = aFakeStore();
    const redactor = {
      redact: () => {
        throw new Error("Ramesh");
      },
    };

    await new Memory({ store, redactor }).rememberMany([aText("a")]);

    expect(store.calls).toEqual([]);
  });

  test("throws where the store fails before anything is stored", async () => {
    const error = new StoreError("connection lost", { retryable: true, help: "try again" });
    const store = aFakeStore({ insertMemories: () => Promise.reject(error) });

    await expect(new Memory({ store }).rememberMany([aText("a")])).rejects.toBe(error);
  });

  test("says which rows are stored where the store fails later", async () => {
    const error = new StoreError("connection lost", { retryable: true, help: "try again" });
    let calls = 0;
    const store = aFakeStore({
      insertMemories: (tenantKey, rows) =>
        ++calls === 2 ? Promise.reject(error) : Promise.resolve(rows.map((row) => storedMemory(tenantKey, row))),
    });

    const results = await new Memory({ store }).rememberMany(Array.from({ length: 2100 }, () => aText("a")));

    expect(results.map((result) => "error" in result)).toEqual([
      ...new Array<boolean>(1000).fill(false),
      ...new Array<boolean>(1100).fill(true),
    ]);
    expect(results[2050]).toEqual({ error });
    expect(calls).toBe(2);
  });

  test("passes on an error that is none of this package's", async () => {
    const error = new TypeError("a mistake in the store");
    let calls = 0;
    const store = aFakeStore({
      insertMemories: (tenantKey, rows) =>
        ++calls === 2 ? Promise.reject(error) : Promise.resolve(rows.map((row) => storedMemory(tenantKey, row))),
    });

    const inputs = Array.from({ length: 1001 }, () => aText("a"));
    await expect(new Memory({ store }).rememberMany(inputs)).rejects.toBe(error);
  });
});

describe("derive", () => {
  const aSummary = (text: string) => ({
    tenantKey: "acme",
    kind: "summary",
    text,
    sources: [
      { sourceKind: "memory" as const, sourceId: ID.toUpperCase() },
      { sourceKind: "derived" as const, sourceId: ID },
    ],
  });

  test("redacts the text too, and hands the sources over by their sort", async () => {
    const store = aFakeStore();

    const result = await new Memory({ store, redactor: maskSecret }).derive(aSummary("a secret"));

    const [, rows] = store.callsOf("insertDerived")[0] as [string, readonly NewDerived[]];
    expect(rows[0]).toMatchObject({
      kind: "summary",
      text: "a [MASKED]",
      sourceMemories: [ID],
      sourceDerived: [ID],
      contentTags: [],
    });
    expect(result).toMatchObject({
      redactions: [{ start: 2 }],
      embedded: false,
      notEmbeddedBecause: "no_embedder",
      derived: { text: "a [MASKED]" },
    });
  });

  test("tags a long text across people, keyed, and a short one not at all", async () => {
    const store = aFakeStore();
    const memory = new Memory({ store, subjectHashPepper: PEPPER });

    await memory.deriveMany([aSummary("short"), aSummary("x".repeat(40))]);

    const [, rows] = store.callsOf("insertDerived")[0] as [string, readonly NewDerived[]];
    expect(rows.map((row) => row.contentTags.length)).toEqual([0, 1]);
  });

  test("throws what the store refused the row with, and answers in place when there are many", async () => {
    const error = new SubjectForgottenError();
    const refusing = aFakeStore({ insertDerived: () => Promise.resolve([{ status: "refused", error }]) });
    const memory = new Memory({ store: refusing });

    await expect(memory.derive(aSummary("a"))).rejects.toBe(error);
    expect(await memory.deriveMany([{ ...aSummary("a"), sources: [] }, aSummary("b")])).toMatchObject([
      { error: { code: "ERR_PROVENANCE_REQUIRED" } },
      { error },
    ]);
  });

  test("stores the caller's vector", async () => {
    const result = await new Memory({ store: aFakeStore() }).derive({ ...aSummary("a"), embedding: [1] });

    expect(result.embedded).toBe(true);
    expect(result).not.toHaveProperty("notEmbeddedBecause");
  });

  test("does not take a store's silence for success", async () => {
    const store = aFakeStore({ insertDerived: () => Promise.resolve([]) });

    await expect(new Memory({ store }).derive(aSummary("a"))).rejects.toThrow();
  });
});

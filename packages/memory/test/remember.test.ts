import { describe, expect, test } from "vitest";
import { SubjectForgottenError } from "../src/index.js";
import { aMemory, aSummaryOf, LONG_AGO, NEVER_SOON } from "./support/builders.js";
import { anEmbedderThat, aRecordingEmbedder } from "./support/recording-embedder.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("remember", (given) => {
  test("gives back the row as every read will show it", async () => {
    const { memory, tenantKey } = await given.tenant();

    const result = await memory.remember({
      tenantKey,
      subjectKey: "customer:ramesh",
      alsoAbout: ["customer:priya"],
      text: "prefers a call in the evening",
      metadata: { channel: "phone", nested: { list: [1, "two", null, true] } },
      kind: "preference",
      capturedAt: new Date("2024-05-01T09:30:00Z"),
      expiresAt: "2999-12-31T23:59:59+05:30",
    });

    const { memoryId, createdAt, ...rest } = result.memory;
    expect(rest).toEqual({
      tenantKey,
      subjectKey: "customer:ramesh",
      subjectHash: memory.subjectFingerprint(tenantKey, "customer:ramesh"),
      alsoAbout: ["customer:priya"],
      kind: "preference",
      text: "prefers a call in the evening",
      metadata: { channel: "phone", nested: { list: [1, "two", null, true] } },
      embedded: false,
      dimensions: null,
      capturedAt: "2024-05-01T09:30:00.000Z",
      expiresAt: "2999-12-31T18:29:59.000Z",
      provenanceKnown: true,
    });
    expect(new Date(createdAt).getTime()).toBeGreaterThan(new Date("2020-01-01").getTime());
    expect(result).toMatchObject({ redactions: [], embedded: false, notEmbeddedBecause: "no_embedder" });
    expect(await memory.getMemory(tenantKey, memoryId)).toEqual(result.memory);
    expect(await (await given.second()).getMemory(tenantKey, memoryId)).toEqual(result.memory);
  });

  test('gives memories the kind "memory", no metadata and no dates unless told otherwise', async () => {
    const { memory, tenantKey } = await given.tenant();

    const { memory: row } = await memory.remember(aMemory({ tenantKey }));

    expect(row).toMatchObject({ kind: "memory", metadata: {}, alsoAbout: [], capturedAt: null, expiresAt: null });
  });

  test.each([
    "  spaces at both ends  ",
    "line\nbreaks\r\nand\ttabs",
    "नमस्ते रमेश जी",
    "emoji 👩‍👩‍👧 and combining e\u0301",
    "quotes ' \" \\ {} [] $1 %s",
    "x",
  ])("keeps a text unit for unit: %j", async (text) => {
    const { memory, tenantKey } = await given.tenant();

    const { memory: row } = await memory.remember(aMemory({ tenantKey, text }));

    expect((await memory.getMemory(tenantKey, row.memoryId))?.text).toBe(text);
  });

  test("compares keys exactly: case, spaces and Unicode forms make other persons", async () => {
    const { memory, tenantKey } = await given.tenant();
    const keys = ["Ramesh", "ramesh", " ramesh", "ramesh ", "rame\u0301sh", "ram\u00e9sh"];
    for (const subjectKey of keys) await memory.remember(aMemory({ tenantKey, subjectKey }));

    await memory.forget({ tenantKey, subjectKey: "ramesh" });

    const { rows } = await memory.listMemories({ tenantKey });
    expect(rows.map((row) => row.subjectKey).sort()).toEqual(keys.filter((key) => key !== "ramesh").sort());
  });

  test("is not changed by what the caller does to the input or to the result", async () => {
    const { memory, tenantKey } = await given.tenant();
    const input = {
      tenantKey,
      subjectKey: "customer:ramesh",
      text: "said",
      metadata: { tags: ["a"] },
      embedding: [1, 0],
    };
    const { memory: row } = await memory.remember(input);

    input.metadata.tags.push("b");
    input.embedding[0] = 0;
    attempt(() => (row.metadata as { tags: string[] }).tags.push("c"));
    attempt(() => Object.assign(row, { text: "changed" }));

    expect(await memory.getMemory(tenantKey, row.memoryId)).toMatchObject({ text: "said", metadata: { tags: ["a"] } });
    const { hits } = await memory.recall({ tenantKey, embedding: [1, 0] });
    expect(hits).toMatchObject([{ score: 1, row: { text: "said", metadata: { tags: ["a"] } } }]);
  });

  test("keeps metadata keys that mean something to JavaScript as plain keys", async () => {
    const { memory, tenantKey } = await given.tenant();
    const metadata = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as Record<string, never>;

    const { memory: row } = await memory.remember(aMemory({ tenantKey, metadata }));

    const stored = await memory.getMemory(tenantKey, row.memoryId);
    expect(JSON.stringify(Object.entries(stored?.metadata ?? {}).sort())).toBe(
      '[["__proto__",{"polluted":true}],["constructor",1]]',
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("may keep the hash of a person alone", async () => {
    const { memory, tenantKey } = await given.tenant({ storeSubjectKeys: false });
    const subjectKey = "customer:hidden-by-hash";

    const { memory: row } = await memory.remember(
      aMemory({ tenantKey, subjectKey, alsoAbout: ["customer:also-hidden"] }),
    );

    expect(row).toMatchObject({ subjectKey: null, alsoAbout: [] });
    await given.expectNowhere(subjectKey, "customer:also-hidden");
    expect((await memory.listMemories({ tenantKey, subjectKey })).rows).toEqual([row]);
    expect(await memory.forget({ tenantKey, subjectKey: "customer:also-hidden" })).toMatchObject({
      counts: { memories: 1 },
    });
  });

  describe("what was captured before the person was forgotten", () => {
    test("is refused, for good, and nothing is stored", async () => {
      const { memory, tenantKey } = await given.tenant();
      await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

      const writing = memory.remember(aMemory({ tenantKey, capturedAt: LONG_AGO }));

      await expect(writing).rejects.toThrow(SubjectForgottenError);
      await expect(writing).rejects.toMatchObject({ code: "ERR_SUBJECT_FORGOTTEN", retryable: false });
      expect((await memory.listMemories({ tenantKey })).rows).toEqual([]);
    });

    test("is refused also while the erasure is still open", async () => {
      const { memory, tenantKey } = await given.tenant();
      await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });

      await expect(memory.remember(aMemory({ tenantKey, capturedAt: LONG_AGO }))).rejects.toThrow(
        SubjectForgottenError,
      );
    });

    test("is refused where the person is one of those it is also about", async () => {
      const { memory, tenantKey } = await given.tenant();
      await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

      const writing = memory.remember(
        aMemory({ tenantKey, subjectKey: "customer:priya", alsoAbout: ["customer:ramesh"], capturedAt: LONG_AGO }),
      );

      await expect(writing).rejects.toThrow(SubjectForgottenError);
    });

    test("is stored where it was captured since", async () => {
      const { memory, tenantKey } = await given.tenant();
      await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

      const { memory: row } = await memory.remember(aMemory({ tenantKey, capturedAt: NEVER_SOON }));

      expect(await memory.getMemory(tenantKey, row.memoryId)).toEqual(row);
    });
  });

  describe("vectors", () => {
    test("are stored from the embedder, or from the caller without asking it", async () => {
      const embedder = aRecordingEmbedder();
      const { memory, tenantKey } = await given.tenant({ embedder });

      const asked = await memory.remember(aMemory({ tenantKey, text: "embed me" }));
      const own = await memory.remember(aMemory({ tenantKey, text: "not me", embedding: new Float32Array([1, 2]) }));

      expect(asked).toMatchObject({ embedded: true, memory: { embedded: true, dimensions: 32 } });
      expect(own).toMatchObject({ embedded: true, memory: { embedded: true, dimensions: 2 } });
      expect(asked.notEmbeddedBecause).toBeUndefined();
      expect(embedder.seen).toEqual(["embed me"]);
    });

    test.each<readonly [string, string, () => unknown]>([
      ["throws", "embedder_failed", () => Promise.reject(new Error("no network"))],
      ["answers no list", "bad_vector", () => null],
      ["answers too few", "bad_vector", () => []],
      ["answers NaN", "bad_vector", () => [[1, Number.NaN]]],
      ["answers an empty vector", "bad_vector", () => [[]]],
      ["answers a zero vector", "bad_vector", () => [[0, 0, 0]]],
    ])("do not stand in the way: where the embedder %s, the row is stored and says %s", async (_, why, answer) => {
      const { memory, tenantKey } = await given.tenant({ embedder: anEmbedderThat(answer) });

      const result = await memory.remember(aMemory({ tenantKey, text: "still findable" }));

      expect(result).toMatchObject({ embedded: false, notEmbeddedBecause: why, memory: { embedded: false } });
      const { hits } = await memory.recall({ tenantKey, text: "findable", strategy: "lexical" });
      expect(hits.map((hit) => hit.row)).toEqual([result.memory]);
    });

    test("can be set later, also to another length, and recall then finds them", async () => {
      const { memory, tenantKey } = await given.tenant();
      const source = await memory.remember(aMemory({ tenantKey, embedding: [1, 0, 0] }));
      const summary = await memory.derive(aSummaryOf(source));

      const answer = await memory.setEmbeddings({
        tenantKey,
        items: [
          { kind: "memory", id: source.memory.memoryId, embedding: [0, 1] },
          { kind: "derived", id: summary.derived.derivedId, embedding: [0, 2] },
          { kind: "derived", id: source.memory.memoryId, embedding: [0, 1] },
        ],
      });

      expect(answer).toEqual({ updated: 2, unknown: 1 });
      const { hits } = await memory.recall({ tenantKey, embedding: [0, 1] });
      expect(hits.map(({ kind, score }) => [kind, score])).toEqual([
        ["derived", 1],
        ["memory", 1],
      ]);
      expect(hits.map(({ row }) => row.text)).toEqual([summary.derived.text, source.memory.text]);
    });
  });
});

describeEachStore("rememberMany", (given) => {
  test("answers in order, one by one, whatever becomes of the others", async () => {
    const { memory, tenantKey } = await given.tenant();
    await memory.forget({ tenantKey, subjectKey: "customer:gone" });

    const results = await memory.rememberMany([
      aMemory({ tenantKey, text: "first" }),
      aMemory({ tenantKey, text: "late", subjectKey: "customer:gone", capturedAt: LONG_AGO }),
      aMemory({ tenantKey, text: "third", subjectKey: " " }),
      aMemory({ tenantKey, text: "fourth" }),
    ]);

    expect(results).toMatchObject([
      { memory: { text: "first" } },
      { error: { code: "ERR_SUBJECT_FORGOTTEN" } },
      { error: { code: "ERR_INVALID_INPUT" } },
      { memory: { text: "fourth" } },
    ]);
    const { rows } = await memory.listMemories({ tenantKey });
    expect(rows.map((row) => row.text)).toEqual(["fourth", "first"]);
  });

  test("keeps the tenants of a batch apart", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { tenantKey: other } = await given.tenant();

    await memory.rememberMany([
      aMemory({ tenantKey, text: "here" }),
      aMemory({ tenantKey: other, text: "there" }),
      aMemory({ tenantKey, text: "here again" }),
    ]);

    const texts = async (tenant: string) =>
      (await memory.listMemories({ tenantKey: tenant })).rows.map((row) => row.text);
    expect(await texts(tenantKey)).toEqual(["here again", "here"]);
    expect(await texts(other)).toEqual(["there"]);
  });

  test("asks the embedder once for a batch, in order", async () => {
    const embedder = aRecordingEmbedder();
    const { memory, tenantKey } = await given.tenant({ embedder });
    const texts = ["one", "two", "three"];

    const results = await memory.rememberMany(texts.map((text) => aMemory({ tenantKey, text })));

    expect(results).toMatchObject([{ embedded: true }, { embedded: true }, { embedded: true }]);
    expect(embedder.seen).toEqual(texts);
  });

  test("stores more rows than fit one statement", async () => {
    const { memory, tenantKey } = await given.tenant();
    const inputs = Array.from({ length: 1001 }, (_, n) => aMemory({ tenantKey, text: `note ${n}` }));

    const results = await memory.rememberMany(inputs);

    expect(results.map((result) => ("memory" in result ? result.memory.text : "refused"))).toEqual(
      inputs.map(({ text }) => text),
    );
    expect(await memory.forget({ tenantKey, subjectKey: "customer:ramesh" })).toMatchObject({
      counts: { memories: 1001 },
    });
  });
});

function attempt(change: () => unknown): void {
  try {
    change();
  } catch {
    // A frozen result refuses; a copied one takes it. Either is fine.
  }
}

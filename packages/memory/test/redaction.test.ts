import { describe, expect, test } from "vitest";
import { InvalidInputError, noRedactor, strictRedactor } from "../src/index.js";
import { aMemory, aSummaryOf } from "./support/builders.js";
import { aRecordingEmbedder } from "./support/recording-embedder.js";
import { describeEachStore } from "./support/stores.js";

// Made up, but well-formed: check digits fit where the kind has them.
const RAW = {
  phone: "9876543210",
  email: "ramesh.kumar@example.com",
  aadhaar: "999941057058",
  pan: "ABCPK1234F",
} as const;
const TEXT = `Ramesh, phone ${RAW.phone}, mail ${RAW.email}, Aadhaar ${RAW.aadhaar}, PAN ${RAW.pan}`;
const MASKED = "Ramesh, phone [PHONE:****3210], mail [EMAIL:****], Aadhaar [AADHAAR:****7058], PAN [PAN:****234F]";
const IDENTIFIERS = Object.values(RAW);

describeEachStore("raw identifiers", (given) => {
  test("do not reach the store or the embedder through remember", async () => {
    const embedder = aRecordingEmbedder();
    const { memory, tenantKey } = await given.tenant({ embedder });

    const result = await memory.remember(aMemory({ tenantKey, text: TEXT }));

    expect(result.memory.text).toBe(MASKED);
    expect(result.redactions.map(({ kind }) => kind)).toEqual(["phone_in", "email", "aadhaar", "pan"]);
    expect(embedder.seen).toEqual([MASKED]);
    expect(JSON.stringify(result)).not.toMatch(new RegExp(IDENTIFIERS.join("|"), "u"));
    await given.expectNowhere(...IDENTIFIERS);
  });

  test("do not reach the store or the embedder through rememberMany", async () => {
    const embedder = aRecordingEmbedder();
    const { memory, tenantKey } = await given.tenant({ embedder });

    const results = await memory.rememberMany([aMemory({ tenantKey, text: TEXT }), aMemory({ tenantKey, text: TEXT })]);

    expect(results).toMatchObject([{ memory: { text: MASKED } }, { memory: { text: MASKED } }]);
    expect(embedder.seen).toEqual([MASKED, MASKED]);
    await given.expectNowhere(...IDENTIFIERS);
  });

  test("do not come back through a summary that restates them", async () => {
    const embedder = aRecordingEmbedder();
    const { memory, tenantKey } = await given.tenant({ embedder });
    const source = await memory.remember(aMemory({ tenantKey, text: "gave his numbers" }));

    const one = await memory.derive({ ...aSummaryOf(source), text: TEXT });
    const many = await memory.deriveMany([{ ...aSummaryOf(source), text: TEXT }]);

    expect(one.derived.text).toBe(MASKED);
    expect(many).toMatchObject([{ derived: { text: MASKED } }]);
    expect(embedder.seen).toEqual(["gave his numbers", MASKED, MASKED]);
    await given.expectNowhere(...IDENTIFIERS);
  });

  test("do not leave through recall: the embedder sees the redacted query", async () => {
    const embedder = aRecordingEmbedder();
    const { memory, tenantKey } = await given.tenant({ embedder });

    await memory.recall({ tenantKey, text: TEXT });

    expect(embedder.seen).toEqual([MASKED]);
  });

  test("find by terms what was stored without them", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey, text: TEXT }));

    const { hits } = await memory.recall({ tenantKey, text: `Ramesh ${RAW.phone}` });

    expect(hits.map((hit) => hit.row)).toEqual([row]);
  });

  test("stay in metadata as given, unless its strings are to be redacted too", async () => {
    const { memory, tenantKey } = await given.tenant({ redactMetadata: true });
    const metadata = { call: `on ${RAW.phone}`, deep: [{ mail: RAW.email }], count: 3 };

    const { memory: row } = await memory.remember(aMemory({ tenantKey, metadata }));

    expect(row.metadata).toEqual({ call: "on [PHONE:****3210]", deep: [{ mail: "[EMAIL:****]" }], count: 3 });
    await given.expectNowhere(...IDENTIFIERS);
  });
});

describeEachStore("a redactor", (given) => {
  test("may be any object that answers text and findings", async () => {
    const redactor = {
      redact: (text: string) => {
        const start = text.indexOf("Ramesh");
        return {
          text: text.replace("Ramesh", "[NAME]"),
          redactions: [{ kind: "name", start, end: start + 6, replacement: "[NAME]", value: "Ramesh" }],
        };
      },
    };
    const { memory, tenantKey } = await given.tenant({ redactor });

    const result = await memory.remember(aMemory({ tenantKey, text: "Ask Ramesh tomorrow" }));

    expect(result.memory.text).toBe("Ask [NAME] tomorrow");
    expect(result.redactions).toEqual([{ kind: "name", start: 4, end: 10, replacement: "[NAME]" }]);
  });

  test("may be stricter than the default", async () => {
    const { memory, tenantKey } = await given.tenant({ redactor: strictRedactor });

    const { memory: row } = await memory.remember(aMemory({ tenantKey, text: "reference 123456789012345" }));

    expect(row.text).toBe("reference [ACCOUNT:****2345]");
  });

  test("may be none, explicitly", async () => {
    const { memory, tenantKey } = await given.tenant({ redactor: noRedactor });

    const { memory: row } = await memory.remember(aMemory({ tenantKey, text: TEXT }));

    expect(row.text).toBe(TEXT);
    await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });
    await given.expectNowhere(...IDENTIFIERS);
  });

  describe.each([
    [
      "throws",
      () => {
        throw new Error(`cannot redact ${RAW.phone}`);
      },
    ],
    ["answers nothing", () => undefined],
    ["answers no text", () => ({ redactions: [] })],
    ["answers no findings", () => ({ text: "x" })],
    [
      "answers a finding outside the text",
      () => ({ text: "x", redactions: [{ kind: "name", start: 0, end: 999, replacement: "x" }] }),
    ],
    ["answers later", () => Promise.resolve({ text: "x", redactions: [] })],
    ["answers a text that cannot be stored", () => ({ text: "\0", redactions: [] })],
  ])("that %s", (_, redact) => {
    test("stores and sends nothing, and its error is not repeated", async () => {
      const embedder = aRecordingEmbedder();
      const { memory, tenantKey } = await given.tenant({ embedder, redactor: { redact: redact as never } });

      const remembering = memory.remember(aMemory({ tenantKey, text: TEXT }));
      const error = await remembering.then(
        () => null,
        (thrown: unknown) => thrown as InvalidInputError,
      );

      expect(error).toBeInstanceOf(InvalidInputError);
      expect(error).toMatchObject({ argument: "redactor" });
      expect([error?.message, JSON.stringify(error), String(error?.cause)].join()).not.toContain(RAW.phone);
      expect(embedder.seen).toEqual([]);
      expect((await memory.listMemories({ tenantKey })).rows).toEqual([]);
    });
  });
});

import { describe, expect, test } from "vitest";
import { Memory } from "../../src/memory.js";
import { aFakeStore } from "./fake-store.js";
import { aRedactorThatAnswers } from "./redactors.js";

const finding = { kind: "word", start: 0, end: 4, replacement: "[X]" };
const INPUT = { tenantKey: "acme", subjectKey: "ramesh", text: "four words of text" };

describe("a redactor of the host's", () => {
  test("is taken at its word, and of its findings only the agreed fields are kept", async () => {
    const redactor = aRedactorThatAnswers({
      text: "[X] [Y]",
      redactions: [
        { ...finding, match: "four" },
        { kind: "word", start: 5, end: 10, replacement: "[Y]", value: "words" },
      ],
    });

    const { memory, redactions } = await new Memory({ store: aFakeStore(), redactor }).remember(INPUT);

    expect(memory.text).toBe("[X] [Y]");
    expect(redactions).toEqual([finding, { kind: "word", start: 5, end: 10, replacement: "[Y]" }]);
  });

  test.each([
    ["nothing", undefined],
    ["a string", "text"],
    ["a promise", Promise.resolve({ text: "x", redactions: [] })],
    ["no text", { redactions: [] }],
    ["no findings", { text: "x" }],
    ["a text with a NUL", { text: "\0", redactions: [] }],
    ["a text that cuts a pair", { text: "\uD83D", redactions: [] }],
    ["a finding that is none", { text: "x", redactions: [null] }],
    ["a finding without a kind", { text: "x", redactions: [{ ...finding, kind: 1 }] }],
    ["a finding without a replacement", { text: "x", redactions: [{ ...finding, replacement: undefined }] }],
    ["a start before the text", { text: "x", redactions: [{ ...finding, start: -1 }] }],
    ["an end after the text", { text: "x", redactions: [{ ...finding, end: 19 }] }],
    ["an end before the start", { text: "x", redactions: [{ ...finding, start: 5 }] }],
    ["an offset that is no whole number", { text: "x", redactions: [{ ...finding, end: 1.5 }] }],
    ["overlapping findings", { text: "x", redactions: [finding, { ...finding, start: 3, end: 6 }] }],
    [
      "an object that throws",
      {
        get text(): string {
          throw new Error("Ramesh");
        },
      },
    ],
  ])("that answers %s stores nothing, and its error quotes nothing", async (_case, answer) => {
    const store = aFakeStore();
    const memory = new Memory({ store, redactor: aRedactorThatAnswers(answer) });

    const error: unknown = await memory.remember(INPUT).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "ERR_INVALID_INPUT", argument: "redactor" });
    expect((error as Error).message).not.toContain("Ramesh");
    expect(error).not.toHaveProperty("cause");
    expect(store.calls).toEqual([]);
  });

  test("that answers later and then fails stores nothing, and does not end the process", async () => {
    const store = aFakeStore();
    const redactor = { redact: () => Promise.reject(new Error("Ramesh")) };

    await expect(new Memory({ store, redactor: redactor as never }).remember(INPUT)).rejects.toThrow(
      "redactor: gave a malformed answer",
    );
    expect(store.calls).toEqual([]);
  });

  test("that throws stores nothing, searches for nothing and embeds nothing", async () => {
    const store = aFakeStore();
    const embedder = { embed: () => Promise.reject(new Error("must not be called")) };
    const redactor = {
      redact: () => {
        throw new Error("Ramesh");
      },
    };
    const memory = new Memory({ store, redactor, embedder });

    await expect(memory.remember(INPUT)).rejects.toThrow("redactor: threw an error");
    await expect(memory.recall({ tenantKey: "acme", text: "Ramesh" })).rejects.toThrow("redactor: threw an error");
    expect(store.calls).toEqual([]);
  });
});

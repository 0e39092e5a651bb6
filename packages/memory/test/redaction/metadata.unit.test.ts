import { describe, expect, test } from "vitest";
import { applyRedactor, defaultRedactor, redactMetadataStrings, type RedactorPort } from "../../src/redaction/index.js";

describe("redacting metadata", () => {
  test("string values are masked at any depth; keys, numbers, booleans and nulls stay", () => {
    const metadata = {
      phone: "call 9876543210",
      nested: { list: ["neha@example.com", 9876543210, true, null], empty: {} },
    };

    expect(redactMetadataStrings(metadata, defaultRedactor)).toEqual({
      metadata: {
        phone: "call [PHONE:****3210]",
        nested: { list: ["[EMAIL:****]", 9876543210, true, null], empty: {} },
      },
      redactions: [
        { kind: "phone_in", start: 5, end: 15, replacement: "[PHONE:****3210]", path: ["phone"] },
        { kind: "email", start: 0, end: 16, replacement: "[EMAIL:****]", path: ["nested", "list", 0] },
      ],
      keys: [],
    });
  });

  test("a key that holds an identifier is reported, masked, and not changed", () => {
    const result = redactMetadataStrings({ "neha@example.com": { note: "9876543210" } }, defaultRedactor);

    expect(Object.keys(result.metadata)).toEqual(["neha@example.com"]);
    expect(result.keys).toEqual([["[EMAIL:****]"]]);
    expect(result.redactions.map(({ path }) => path)).toEqual([["[EMAIL:****]", "note"]]);
    expect(JSON.stringify([result.keys, result.redactions])).not.toContain("neha");
  });

  test("the input is not changed, and a key named __proto__ stays a key", () => {
    const metadata = JSON.parse('{"__proto__":"9876543210","a":"9876543210"}') as Record<string, unknown>;
    const before = JSON.stringify(metadata);

    expect(JSON.stringify(redactMetadataStrings(metadata, defaultRedactor).metadata)).toBe(
      '{"__proto__":"[PHONE:****3210]","a":"[PHONE:****3210]"}',
    );
    expect(JSON.stringify(metadata)).toBe(before);
  });

  test("nesting beyond 200 levels is refused", () => {
    const deep = (levels: number): unknown => JSON.parse('{"a":'.repeat(levels) + "1" + "}".repeat(levels));

    expect(() => redactMetadataStrings(deep(200), defaultRedactor)).not.toThrow();
    expect(() => redactMetadataStrings(deep(201), defaultRedactor)).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_INPUT", argument: "metadata" }),
    );
  });
});

describe("a redactor of somebody else's", () => {
  test("hands on kind, start, end and replacement of its findings, and nothing else", () => {
    const redactor = {
      redact: () => ({
        text: "x *",
        redactions: [{ kind: "name", start: 2, end: 6, replacement: "*", value: "Neha" }],
      }),
    };

    expect(applyRedactor(redactor, "x Neha")).toEqual({
      text: "x *",
      redactions: [{ kind: "name", start: 2, end: 6, replacement: "*" }],
    });
  });

  const finding = { kind: "name", start: 0, end: 2, replacement: "*" };
  test.each([
    ["nothing", undefined],
    ["no text", { redactions: [] }],
    ["no findings", { text: "x" }],
    ["a finding that is no object", { text: "x", redactions: [1] }],
    ["a finding without a kind", { text: "x", redactions: [{ ...finding, kind: undefined }] }],
    ["an offset that is no whole number", { text: "x", redactions: [{ ...finding, start: 0.5 }] }],
    ["an offset outside the text", { text: "x", redactions: [{ ...finding, end: 99 }] }],
    ["a finding that ends before it starts", { text: "x", redactions: [{ ...finding, start: 2, end: 1 }] }],
    ["findings that overlap", { text: "x", redactions: [finding, { ...finding, start: 1, end: 3 }] }],
  ])("that answers %s is refused", (_what, answer) => {
    const redactor = { redact: () => answer } as unknown as RedactorPort;

    expect(() => applyRedactor(redactor, "secret")).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_INPUT", argument: "redactor" }),
    );
  });

  test("that throws is refused without its error, which may quote the text", () => {
    const redactor: RedactorPort = {
      redact: (text) => {
        throw new Error(`cannot read ${text}`);
      },
    };

    let caught: unknown;
    try {
      applyRedactor(redactor, "9876543210");
    } catch (error) {
      caught = error;
    }

    expect(caught).toMatchObject({ code: "ERR_INVALID_INPUT", argument: "redactor" });
    expect(JSON.stringify(caught) + String(caught) + String((caught as Error).cause)).not.toContain("9876543210");
  });
});

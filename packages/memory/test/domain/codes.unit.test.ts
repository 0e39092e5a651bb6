import { describe, expect, test } from "vitest";
import { isCode, readCode, readOneOf } from "../../src/domain/input/codes.js";
import { canonicalId, readId, readLookupId } from "../../src/domain/input/ids.js";
import { readInteger, readLimit, readMinScore } from "../../src/domain/input/numbers.js";

const refusal = (argument: string) => expect.objectContaining({ code: "ERR_INVALID_INPUT", argument }) as Error;

describe("an open code", () => {
  test.each(["a", "memory", "support_ticket.v2", "a:b-c", "gdpr_17_1_a", "ccpa_1798_105", `a${"b".repeat(63)}`])(
    "may be %s",
    (code) => {
      expect(readCode(code, "kind")).toBe(code);
    },
  );

  test.each([
    "",
    "A",
    "Ramesh",
    "1a",
    "_a",
    "a b",
    "a\n",
    "a/b",
    "é",
    "a12345",
    "phone.9876543210",
    `a${"b".repeat(64)}`,
  ])("is refused where it is %j, because evidence has no room for prose or numbers", (code) => {
    expect(isCode(code)).toBe(false);
    expect(() => readCode(code, "kind")).toThrow(refusal("kind"));
  });

  test("has its default only where there is one", () => {
    expect(readCode(undefined, "kind", "memory")).toBe("memory");
    expect(() => readCode(undefined, "kind")).toThrow(expect.objectContaining({ message: "kind: is required" }));
    expect(() => readCode(1, "kind", "memory")).toThrow(expect.objectContaining({ message: "kind: must be a string" }));
  });
});

describe("a value of a closed list", () => {
  const list = ["both", "memories"] as const;

  test("is one of them, or the default", () => {
    expect(readOneOf("memories", "include", list)).toBe("memories");
    expect(readOneOf(undefined, "include", list, "both")).toBe("both");
  });

  test("is refused with the list, and without the value", () => {
    expect(() => readOneOf("Ramesh", "include", list)).toThrow(
      expect.objectContaining({ message: "include: must be one of both, memories" }),
    );
    expect(() => readOneOf(undefined, "include", list)).toThrow(
      expect.objectContaining({ message: "include: is required" }),
    );
  });
});

describe("an id", () => {
  const id = "018F3C2A-7B1D-7C4E-9A5F-6B7C8D9E0F1A";

  test("is a UUID of any version, in lower case", () => {
    expect(readId(id, "memoryId")).toBe(id.toLowerCase());
    expect(canonicalId("00000000-0000-0000-0000-000000000000")).toBe("00000000-0000-0000-0000-000000000000");
  });

  test.each(["", "x", "018f3c2a7b1d7c4e9a5f6b7c8d9e0f1a", `{${id}}`, `${id} `, `${id}\n`, `urn:uuid:${id}`, `${id}0`])(
    "is no id where it is %j",
    (value) => {
      expect(readLookupId(value, "memoryId")).toBeNull();
      expect(() => readId(value, "memoryIds[2]")).toThrow(
        expect.objectContaining({ message: "memoryIds[2]: must be a UUID" }),
      );
    },
  );

  test("is refused where it is no string at all", () => {
    expect(() => readLookupId(undefined, "id")).toThrow(expect.objectContaining({ message: "id: is required" }));
    expect(() => readLookupId(7, "id")).toThrow(expect.objectContaining({ message: "id: must be a string" }));
  });
});

describe("a number", () => {
  test("of hits or rows is from 1 to 1,000", () => {
    expect([readLimit(1, "limit", 10), readLimit(1000, "limit", 10), readLimit(undefined, "limit", 10)]).toEqual([
      1, 1000, 10,
    ]);
    for (const value of [0, -1, 1001, 1.5, Number.NaN, Infinity, "10", null, 10n]) {
      expect(() => readLimit(value, "limit", 10)).toThrow(refusal("limit"));
    }
  });

  test("without a default is required", () => {
    expect(() => readInteger(undefined, "embedded.dimensionsNot", { min: 1, max: 9 })).toThrow(
      refusal("embedded.dimensionsNot"),
    );
  });

  test("that a score must reach is from 0 to 1", () => {
    expect([readMinScore(undefined, "minScore"), readMinScore(0.25, "minScore"), readMinScore(1, "minScore")]).toEqual([
      0, 0.25, 1,
    ]);
    for (const value of [-0.1, 1.1, Number.NaN, "0.5", null]) {
      expect(() => readMinScore(value, "minScore")).toThrow(refusal("minScore"));
    }
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isBlank, isWellFormed, readKey, readOptionalKey, readText } from "../../src/domain/input/strings.js";
import { exceedsUtf8, utf8Length } from "../../src/domain/utf8.js";

const refusal = (argument: string, problem: string) =>
  expect.objectContaining({ code: "ERR_INVALID_INPUT", argument, message: `${argument}: ${problem}` }) as Error;

describe("a key", () => {
  test.each(["a", " a ", "Ａ", "customer:ramesh", "ग्राहक", "🙂", "a\nb", "x".repeat(512), "é".repeat(256)])(
    "is taken exactly as it stands: %j",
    (key) => {
      expect(readKey(key, "subjectKey")).toBe(key);
    },
  );

  test.each([
    ["absent", undefined, "is required"],
    ["null", null, "must be a string"],
    ["a number", 42, "must be a string"],
    ["a String object", new String("a"), "must be a string"],
    ["empty", "", "must not be blank"],
    ["spaces", " \t\n", "must not be blank"],
    ["a no-break space", "\u00A0", "must not be blank"],
    ["zero-width characters", "\u200B\u200D\uFEFF", "must not be blank"],
    ["a NUL", "\0", "must not be blank"],
    ["a NUL inside", "a\0b", "contains a NUL character"],
    ["half a pair", "a\uD83D", "contains half a surrogate pair"],
    ["the other half", "\uDE42a", "contains half a surrogate pair"],
    ["513 bytes", "x".repeat(513), "must be at most 512 bytes of UTF-8"],
    ["257 letters of two bytes", "é".repeat(257), "must be at most 512 bytes of UTF-8"],
  ])("is refused where it is %s", (_case, key, problem) => {
    expect(() => readKey(key, "subjectKey")).toThrow(refusal("subjectKey", problem));
  });

  test("may be left out only where it is optional", () => {
    expect(readOptionalKey(undefined, "requestId")).toBeNull();
    expect(readOptionalKey("r", "requestId")).toBe("r");
    expect(() => readOptionalKey(null, "requestId")).toThrow(refusal("requestId", "must be a string"));
  });
});

describe("a text", () => {
  test("is taken exactly as it stands", () => {
    const text = "  Line\r\n\ttwo 🙂 cafe\u0301 ";

    expect(readText(text, "text", 100)).toBe(text);
  });

  test.each([
    ["absent", undefined, "is required"],
    ["a number", 1, "must be a string"],
    ["an array", ["a"], "must be a string"],
    ["empty", "", "must not be blank"],
    ["blank", " \n", "must not be blank"],
    ["holds a NUL", "a\0", "contains a NUL character"],
    ["holds half a pair", "\uD83D a", "contains half a surrogate pair"],
    ["too long", "xxxxxxxxxxx", "must be at most 10 bytes of UTF-8"],
    ["too long only in bytes", "खाता", "must be at most 10 bytes of UTF-8"],
  ])("is refused where it is %s", (_case, text, problem) => {
    expect(() => readText(text, "inputs[3].text", 10)).toThrow(refusal("inputs[3].text", problem));
  });

  test("may be as long as the limit, to the byte", () => {
    expect(readText("खात", "text", 9)).toBe("खात");
    expect(() => readText("खात", "text", 8)).toThrow(refusal("text", "must be at most 8 bytes of UTF-8"));
  });
});

describe("lengths in UTF-8", () => {
  test("are what the encoder gives, for any string", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 50, size: "max" }), fc.nat(120), (text, limit) => {
        const bytes = new TextEncoder().encode(text).length;

        expect(utf8Length(text)).toBe(bytes);
        expect(exceedsUtf8(text, limit)).toBe(bytes > limit);
      }),
    );
  });

  test("count a lone surrogate as the encoder's replacement", () => {
    for (const text of ["\uD83D", "\uDE42", "\uD83Dx", "\uD83D\uD83D\uDE42"]) {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    }
  });
});

describe("what a string is", () => {
  test("blank means that nothing can be seen, not that it is ASCII space", () => {
    expect(["", " ", "\u3000", "\u2060", "\u0007"].map(isBlank)).toEqual([true, true, true, true, true]);
    expect(["x", " x ", "‌x", "."].map(isBlank)).toEqual([false, false, false, false]);
  });

  test("well-formed means made of whole characters", () => {
    expect(["🙂", "a", "\0"].map(isWellFormed)).toEqual([true, true, true]);
    expect(["\uD83D", "\uDE42\uD83D"].map(isWellFormed)).toEqual([false, false]);
  });
});

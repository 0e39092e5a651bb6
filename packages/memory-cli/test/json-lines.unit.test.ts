import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConversation } from "../src/input/read-conversation.js";
import { DEFAULT_COLUMNS, reading, refusal, temporaryFolder } from "./support/input.js";

const folder = temporaryFolder();
const LINE = `{"subject":"customer:1","at":"2025-08-04T09:12:00+05:30","text":"कार्ड नहीं चला"}`;

describe("a JSON Lines file", () => {
  test("is read line by line, with times in UTC and other fields ignored", async () => {
    const { messages, format } = await reading(
      folder,
      "a.jsonl",
      `${LINE}\n{"subject":"customer:2","text":"hello","mood":4}\n`,
    );

    expect(format).toBe("json-lines");
    expect(messages).toEqual([
      { line: 1, subjectKey: "customer:1", at: "2025-08-04T03:42:00.000Z", text: "कार्ड नहीं चला" },
      { line: 2, subjectKey: "customer:2", at: null, text: "hello" },
    ]);
  });

  test("may begin with a byte order mark, end its lines with CRLF, and lack the last line break", async () => {
    const { messages } = await reading(folder, "bom.jsonl", `\uFEFF${LINE}\r\n${LINE}`);

    expect(messages.map(({ line, text }) => [line, text])).toEqual([
      [1, "कार्ड नहीं चला"],
      [2, "कार्ड नहीं चला"],
    ]);
  });

  test("may have blank lines and empty texts, which are counted and skipped", async () => {
    const result = await reading(folder, "blank.jsonl", `\n${LINE}\n  \n{"subject":"customer:1","text":" "}\n`);

    expect(result).toMatchObject({ blankLines: 2, emptyTexts: 1 });
    expect(result.messages.map(({ line }) => line)).toEqual([2]);
  });

  test("keeps keys and texts exactly as they are", async () => {
    const { messages } = await reading(folder, "exact.jsonl", `{"subject":" Customer:1 ","text":"  two  spaces\\n"}\n`);

    expect(messages[0]).toMatchObject({ subjectKey: " Customer:1 ", text: "  two  spaces\n" });
  });

  test("may name its fields otherwise", async () => {
    const columns = { subject: "user", text: "message", time: { name: "when", required: true } };
    const content = `{"user":"u1","message":"hi there","when":"2025-01-01T00:00:00Z"}`;

    expect((await reading(folder, "named.jsonl", content, columns)).messages).toEqual([
      { line: 1, subjectKey: "u1", at: "2025-01-01T00:00:00.000Z", text: "hi there" },
    ]);
    expect((await refusal(folder, "named2.jsonl", LINE, columns)).message).toContain(`line 1: "when" is missing`);
  });
});

describe("a bad line is refused with its number and the rule, and without what it says", () => {
  test.each([
    ["not JSON", `{"subject":"customer:1", "text": secret}`, "not valid JSON; expected one JSON object on each line"],
    ["an array", `["secret"]`, "a JSON array; expected one JSON object"],
    ["a number", `4`, "a JSON number; expected one JSON object"],
    ["null", `null`, "null; expected one JSON object"],
    ["no subject", `{"text":"secret"}`, `"subject" is missing; expected a string`],
    ["a subject inherited from nowhere", `{"text":"secret","__proto__":{"subject":"x"}}`, `"subject" is missing`],
    ["a number as subject", `{"subject":12,"text":"secret"}`, `"subject" is a number; expected a string`],
    ["a blank subject", `{"subject":" ","text":"secret"}`, `"subject" is blank`],
    ["a long subject", `{"subject":"${"x".repeat(513)}","text":"secret"}`, `"subject" is 513 bytes long; at most 512`],
    ["a NUL in the subject", `{"subject":"a\\u0000","text":"secret"}`, `"subject" holds a NUL character`],
    ["half a character", `{"subject":"a","text":"secret \\ud800"}`, `"text" holds half of a surrogate pair`],
    ["no text", `{"subject":"a"}`, `"text" is missing; expected a string`],
    ["a list as text", `{"subject":"a","text":["secret"]}`, `"text" is an array; expected a string`],
    [
      "a long text",
      `{"subject":"a","text":"${"x".repeat(1_048_577)}"}`,
      `"text" is 1,048,577 bytes long; at most 1,048,576`,
    ],
    [
      "a time without a zone",
      `{"subject":"a","text":"b","at":"2025-08-04T09:12:00"}`,
      `"at" must be a time with a zone`,
    ],
    [
      "a day that does not exist",
      `{"subject":"a","text":"b","at":"2025-02-30T09:12:00Z"}`,
      `"at" must be a time with a zone`,
    ],
    ["a number as time", `{"subject":"a","text":"b","at":1754280000}`, `"at" must be a time with a zone`],
  ])("%s", async (_name, bad, expected) => {
    const { message, exitCode } = await refusal(folder, "bad.jsonl", `${LINE}\n${bad}\n${LINE}\n`);

    expect(message).toContain(`line 2: ${expected}`);
    expect(message).not.toContain("secret");
    expect(exitCode).toBe(2);
  });

  test("a line of 20 MB is refused without being kept, and the lines behind it are still read", async () => {
    const long = Buffer.alloc(20 * 1_048_576, "x");
    const { message } = await refusal(folder, "long.jsonl", Buffer.concat([long, Buffer.from(`\n{"subject":""}\n`)]));

    expect(message).toContain("line 1: 20,971,520 bytes long; at most 8,388,608 are read");
    expect(message).toContain(`line 2: "subject" is blank`);
  });

  test("bytes that are not UTF-8 are refused, not replaced", async () => {
    const { message } = await refusal(
      folder,
      "latin1.jsonl",
      Buffer.from(`{"subject":"a","text":"caf\xe9"}`, "latin1"),
    );

    expect(message).toContain("line 1: not UTF-8 text");
  });

  test("reading stops after the fifth bad line, and says so", async () => {
    const { message } = await refusal(folder, "many.jsonl", "nonsense\n".repeat(9));

    expect(message).toContain("line 5:");
    expect(message).not.toContain("line 6:");
    expect(message).toContain("reading stopped here; there may be more");
  });
});

describe("a file that is no conversation is refused with what to do", () => {
  test.each([
    ["empty.jsonl", "", "empty.jsonl holds no message"],
    ["blank-only.jsonl", "\n\n", "blank-only.jsonl holds no message"],
    ["binary.jsonl", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]), "binary.jsonl is not a text file"],
    ["utf16.jsonl", Buffer.from(`\uFEFF${LINE}`, "utf16le"), "utf16.jsonl is UTF-16 text"],
  ])("%s", async (name, content, expected) => {
    const { message, help, exitCode } = await refusal(folder, name, content);

    expect(message).toContain(expected);
    expect(help).not.toBe("");
    expect(exitCode).toBe(2);
  });

  test("a missing file", async () => {
    await expect(readConversation(join(folder, "nowhere.jsonl"), DEFAULT_COLUMNS)).rejects.toThrow(
      "there is no such file",
    );
  });

  test("a folder", async () => {
    await expect(readConversation(folder, DEFAULT_COLUMNS)).rejects.toThrow("is a folder");
  });
});

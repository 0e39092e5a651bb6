import { describe, expect, test } from "vitest";
import { reading, refusal, temporaryFolder } from "./support/input.js";

const folder = temporaryFolder();

describe("a CSV file", () => {
  test("names its columns in the first line; the rest are messages", async () => {
    const { messages, format } = await reading(
      folder,
      "a.csv",
      "at,subject,text\n2025-08-04T09:12:00Z,customer:1,hello there\n",
    );

    expect(format).toBe("csv");
    expect(messages).toEqual([
      { line: 2, subjectKey: "customer:1", at: "2025-08-04T09:12:00.000Z", text: "hello there" },
    ]);
  });

  test("may quote commas, quotes and line breaks; a message is named by the line it begins on", async () => {
    const content = `subject,text\nc1,"one, ""two""\nthree"\nc2,four\n\nc3,five\n`;
    const { messages, blankLines } = await reading(folder, "quoted.csv", content);

    expect(messages.map(({ line, text }) => [line, text])).toEqual([
      [2, `one, "two"\nthree`],
      [4, "four"],
      [6, "five"],
    ]);
    expect(blankLines).toBe(1);
  });

  test("may begin with a byte order mark and end its lines with CRLF", async () => {
    const { messages } = await reading(folder, "bom.csv", "\uFEFFsubject,text\r\nc1,एक\r\nc2,दो\r\n");

    expect(messages.map(({ text }) => text)).toEqual(["एक", "दो"]);
  });

  test("may name its columns otherwise", async () => {
    const columns = { subject: "user", text: "utterance", time: { name: "when", required: true } };
    const { messages } = await reading(
      folder,
      "named.csv",
      "utterance,when,user\nhi there,2025-01-01T00:00:00Z,u1\n",
      columns,
    );

    expect(messages[0]).toMatchObject({ subjectKey: "u1", text: "hi there", at: "2025-01-01T00:00:00.000Z" });
  });

  test("without a column that is needed is refused with the columns it has and the option to name one", async () => {
    const { message, help, exitCode } = await refusal(folder, "no-subject.csv", "text,category\nhello,card\n");

    expect(message).toContain(`no column "subject" for the person a message is about`);
    expect(message).toContain(`"text", "category"`);
    expect(help).toContain("--subject-column");
    expect(exitCode).toBe(2);
  });

  test("without the time column that was named is refused", async () => {
    const columns = { subject: "subject", text: "text", time: { name: "when", required: true } };

    expect((await refusal(folder, "no-time.csv", "subject,text\na,b\n", columns)).help).toContain("--time-column");
  });

  test.each([
    ["a missing value", "subject,text\na,secret\nb\n", "line 3: 1 columns, but the header has 2"],
    ["a comma without quotes", "subject,text\na,secret,more\n", "line 2: 3 columns, but the header has 2"],
    ["a quote that never closes", `subject,text\na,"secret\nb,c\n`, "line 2: a quote is opened here and never closed"],
    [
      "text after a closing quote",
      `subject,text\na,"secret"x\n`,
      "line 2: a quoted value goes on after its closing quote",
    ],
    ["a blank person", "subject,text\na,b\n ,secret\n", `line 3: "subject" is blank`],
  ])("with %s is refused with the line number", async (_name, content, expected) => {
    const { message } = await refusal(folder, "bad.csv", content);

    expect(message).toContain(expected);
    expect(message).not.toContain("secret");
  });

  test("with the same column twice is refused", async () => {
    expect((await refusal(folder, "twice.csv", "subject,text,text\na,b,c\n")).message).toContain(
      `the column "text" twice`,
    );
  });

  test("with a 20 MB record is refused", async () => {
    const content = Buffer.concat([Buffer.from(`subject,text\na,"`), Buffer.alloc(20 * 1_048_576, "x")]);

    expect((await refusal(folder, "long.csv", content)).message).toContain("the record is longer than 8,388,608 bytes");
  });

  test("that is empty, or has a header alone, holds no message", async () => {
    expect((await refusal(folder, "empty.csv", "")).message).toContain("holds no message");
    expect((await refusal(folder, "header.csv", "subject,text\n")).message).toContain("holds no message");
  });

  test("that is not UTF-8 is refused, not repaired", async () => {
    const content = Buffer.from("subject,text\na,caf\xe9\n", "latin1");

    expect((await refusal(folder, "latin1.csv", content)).message).toContain("not UTF-8 text");
  });
});

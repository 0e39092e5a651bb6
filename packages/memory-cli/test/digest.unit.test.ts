import { describe, expect, test } from "vitest";
import { deriveDigests, countPlanned, MAX_SOURCES, type DeriveMany } from "../src/digest/derive-digests.js";
import { monthOf, weekOf } from "../src/digest/periods.js";
import { planDigests } from "../src/digest/plan-digests.js";
import type { RememberedLine } from "../src/digest/remembered.js";
import { tellingWords } from "../src/digest/terms.js";
import { typicalLines } from "../src/digest/typical-lines.js";

let next = 0;
function line(subjectKey: string, at: string | null, text: string): RememberedLine {
  return { memoryId: `m${next++}`, subjectKey, at, text };
}

/** Stands in for the library: keeps what it is given, and answers ids. */
function recorder() {
  const rows: {
    id: string;
    kind: string;
    text: string;
    sources: readonly { sourceKind: string; sourceId: string }[];
  }[] = [];
  const memory = {
    deriveMany: (inputs: Parameters<DeriveMany["deriveMany"]>[0]) =>
      Promise.resolve(
        inputs.map(({ kind, text, sources }) => {
          const id = `d${rows.length}`;
          rows.push({ id, kind, text, sources });
          return { derived: { derivedId: id } };
        }),
      ),
  } as unknown as DeriveMany;
  return { memory, rows };
}

const LINES = [
  line("a", "2025-08-04T10:00:00.000Z", "The card reader shows an error"),
  line("a", "2025-08-12T10:00:00.000Z", "The card reader works again"),
  line("b", "2025-08-05T10:00:00.000Z", "My card reader shows an error too"),
  line("b", "2025-09-02T10:00:00.000Z", "Please send the refund"),
];

describe("weeks and months", () => {
  test.each([
    ["2025-08-04T00:00:00.000Z", "2025-W32", "2025-08"],
    ["2025-08-10T23:59:59.999Z", "2025-W32", "2025-08"],
    ["2025-12-29T12:00:00.000Z", "2026-W01", "2026-01"],
    ["2027-01-03T12:00:00.000Z", "2026-W53", "2026-12"],
    ["2024-12-30T12:00:00.000Z", "2025-W01", "2025-01"],
    ["0001-01-01T00:00:00.000Z", "0001-W01", "0001-01"],
  ])("%s is in ISO week %s, which belongs to month %s", (at, week, month) => {
    expect([weekOf(at).key, monthOf(at).key]).toEqual([week, month]);
  });

  test("a message without a time has a period of its own", () => {
    expect([weekOf(null).key, monthOf(null).key]).toEqual(["undated", "undated"]);
  });
});

describe("telling words", () => {
  test("are the words that say something, in any script, without masks", () => {
    expect(tellingWords("Mera refund kab aayega? [PHONE:****3210] पेंशन नहीं आई Refund")).toEqual([
      "refund",
      "aayega",
      "पेंशन",
      "आई",
    ]);
  });
});

describe("typical lines", () => {
  test("are those that share most words with the others, at most so many of one person, in their order", () => {
    const { lines, words } = typicalLines(LINES, { limit: 2, perPerson: 1 });

    expect(lines.map(({ text }) => text)).toEqual([
      "The card reader shows an error",
      "My card reader shows an error too",
    ]);
    expect(words).toEqual(["card", "reader", "error", "shows"]);
  });
});

describe("digests", () => {
  test("are a summary for each person, a digest of each week, and a digest of each month's digests", async () => {
    const { memory, rows } = recorder();
    const plan = planDigests(LINES);
    const made = await deriveDigests(memory, "t", plan, () => Promise.resolve());

    expect(rows.map(({ kind, sources }) => [kind, sources.length])).toEqual([
      ["summary", 2],
      ["summary", 2],
      ["weekly-digest", 2],
      ["weekly-digest", 1],
      ["weekly-digest", 1],
      ["monthly-digest", 2],
      ["monthly-digest", 1],
    ]);
    expect(rows.at(-2)?.sources.map(({ sourceId }) => sourceId)).toEqual([rows[2]?.id, rows[3]?.id]);
    expect(made.map(({ subjectKeys }) => [...subjectKeys].join())).toEqual(["a", "b", "a,b", "a", "b", "a,b", "b"]);
    expect(made).toHaveLength(countPlanned(plan));
  });

  test("quote what was said, word for word", async () => {
    const { memory, rows } = recorder();
    await deriveDigests(memory, "t", planDigests(LINES), () => Promise.resolve());

    expect(rows[0]?.text).toBe(
      "2 messages from 4 Aug 2025 to 12 Aug 2025. Often: card, reader.\n- The card reader shows an error\n- The card reader works again",
    );
    expect(rows[2]?.text).toBe(
      "Week 4 Aug 2025 to 10 Aug 2025: 2 messages of 2 customers. Often: card, error, reader, shows.\n- The card reader shows an error\n- My card reader shows an error too",
    );
    expect(rows[5]?.text).toContain("Month August 2025: from 2 weekly digests.");
  });

  test("are the same whenever they are made from the same messages", async () => {
    const first = recorder();
    const second = recorder();
    await deriveDigests(first.memory, "t", planDigests(LINES), () => Promise.resolve());
    await deriveDigests(second.memory, "t", planDigests([...LINES]), () => Promise.resolve());

    expect(second.rows).toEqual(first.rows);
  });

  test("of more sources than one row takes are derived in two levels", async () => {
    const many = Array.from({ length: MAX_SOURCES * 2 + 1 }, (_, i) =>
      line(`p${i % 7}`, "2025-08-04T10:00:00.000Z", `message ${i}`),
    );
    const { memory, rows } = recorder();
    const made = await deriveDigests(memory, "t", planDigests(many), () => Promise.resolve());

    const parts = rows.filter(({ kind }) => kind === "weekly-part");
    const week = rows.find(({ kind }) => kind === "weekly-digest");
    expect(parts.map(({ sources }) => sources.length)).toEqual([MAX_SOURCES, MAX_SOURCES, 1]);
    expect(week?.sources).toEqual(parts.map(({ id }) => ({ sourceKind: "derived", sourceId: id })));
    expect(made.find(({ kind }) => kind === "weekly-digest")?.subjectKeys.size).toBe(7);
  });

  test("cut a long line at a space", async () => {
    const { memory, rows } = recorder();
    await deriveDigests(memory, "t", planDigests([line("a", null, "word ".repeat(100))]), () => Promise.resolve());

    expect(rows[0]?.text).toMatch(/^1 message\.\n- (word ){40}…$/);
  });
});

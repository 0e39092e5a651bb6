import { readLines } from "./lines.js";
import type { Columns, ParsedLine } from "./message.js";

const EXPECTED = `expected one JSON object on each line, such as {"subject":"customer:1","at":"2025-08-04T09:12:00Z","text":"…"}`;

/** Reads JSON Lines: one object a line. Blank lines are counted and skipped; other fields are ignored. */
export async function* parseJsonLines(chunks: AsyncIterable<Buffer>, columns: Columns): AsyncGenerator<ParsedLine> {
  for await (const line of readLines(chunks)) {
    if ("problem" in line) yield line;
    else if (line.text.trim() === "") yield { line: line.line, blank: true };
    else yield parseLine(line.line, line.text, columns);
  }
}

function parseLine(line: number, text: string, columns: Columns): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the line, which is somebody's words.
    return { line, problem: `not valid JSON; ${EXPECTED}` };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { line, problem: `${describe(value)}; ${EXPECTED}` };
  }
  const field = (name: string): unknown =>
    Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  const at = field(columns.time.name);
  if (columns.time.required && at === undefined) return { line, problem: `"${columns.time.name}" is missing` };
  return { line, fields: { subject: field(columns.subject), text: field(columns.text), at } };
}

function describe(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a JSON array" : `a JSON ${typeof value}`;
}

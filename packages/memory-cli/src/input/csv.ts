import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { InputFileError } from "./input-file-error.js";
import { MAX_LINE_BYTES } from "./lines.js";
import type { Columns, ParsedLine } from "./message.js";

/**
 * Reads comma-separated values (RFC 4180: quotes, doubled quotes, line breaks within quotes) whose first record
 * names the columns.
 */
export async function* parseCsv(chunks: AsyncIterable<Buffer>, columns: Columns): AsyncGenerator<ParsedLine> {
  // csv-parse knows where a record ends; the reader of an error looks for where it begins.
  let lastLine = 0;
  const parser = parse({
    bom: true,
    relax_column_count: true,
    max_record_size: MAX_LINE_BYTES,
    on_record: (record, { lines }) => {
      const line = lastLine + 1;
      lastLine = lines;
      return [String(line), ...record];
    },
  });
  const source = Readable.from(decode(chunks));
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);

  let header: Header | null = null;
  try {
    for await (const [lineNumber, ...record] of parser as AsyncIterable<string[]>) {
      const line = Number(lineNumber);
      if (header === null) header = readHeader(record, columns);
      else if (record.length === 1 && record[0]?.trim() === "") yield { line, blank: true };
      else yield readRecord(line, record, header);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    yield { line: lastLine + 1, problem: describeCsvError(error) };
  } finally {
    source.destroy();
  }
}

interface Header {
  readonly width: number;
  readonly subject: number;
  readonly text: number;
  readonly time: number;
}

function readHeader(names: readonly string[], columns: Columns): Header {
  const find = (name: string, what: string, option: string): number => {
    const at = names.indexOf(name);
    if (at === -1) {
      throw new InputFileError(
        `the header has no column "${name}" for ${what}; its columns are: ${names.map((each) => `"${each}"`).join(", ")}`,
        `Name the right column with ${option}. Nothing was stored.`,
      );
    }
    if (names.indexOf(name, at + 1) !== -1) {
      throw new InputFileError(`the header has the column "${name}" twice`, "Give each column a name of its own.");
    }
    return at;
  };
  return {
    width: names.length,
    subject: find(columns.subject, "the person a message is about", "--subject-column"),
    text: find(columns.text, "the text of a message", "--text-column"),
    time: columns.time.required
      ? find(columns.time.name, "the time of a message", "--time-column")
      : names.indexOf(columns.time.name),
  };
}

function readRecord(line: number, record: readonly string[], header: Header): ParsedLine {
  if (record.length !== header.width) {
    return {
      line,
      problem: `${record.length} columns, but the header has ${header.width}; a text with a comma or a line break needs quotes`,
    };
  }
  return { line, fields: { subject: record[header.subject], text: record[header.text], at: record[header.time] } };
}

async function* decode(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InputFileError("not UTF-8 text", "Save the file as UTF-8 and run the command again.");
  }
}

function describeCsvError(error: CsvError): string {
  switch (error.code) {
    case "CSV_QUOTE_NOT_CLOSED":
      return "a quote is opened here and never closed";
    case "CSV_INVALID_CLOSING_QUOTE":
      return "a quoted value goes on after its closing quote; double a quote that belongs to the text";
    case "INVALID_OPENING_QUOTE":
      return "a quote in the middle of an unquoted value; quote the whole value and double the quotes in it";
    case "CSV_MAX_RECORD_SIZE":
      return `the record is longer than ${MAX_LINE_BYTES.toLocaleString("en")} bytes; perhaps a quote is not closed`;
    default:
      return "not valid CSV";
  }
}

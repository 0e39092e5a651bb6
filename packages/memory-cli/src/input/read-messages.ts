import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { checkMessage } from "./check-message.js";
import { parseCsv } from "./csv.js";
import { InputFileError, type LineProblem } from "./input-file-error.js";
import { parseJsonLines } from "./json-lines.js";
import type { Columns, Message } from "./message.js";

/** What a line of a file comes to. */
export type ReadLine =
  { readonly message: Message } | LineProblem | { readonly line: number; readonly skipped: "blank" | "empty" };

export type FileFormat = "json-lines" | "csv";

/** A `.csv` file is CSV, everything else JSON Lines. */
export function formatOf(path: string): FileFormat {
  return /\.csv$/i.test(path) ? "csv" : "json-lines";
}

/**
 * Reads a file line by line and checks each, holding none of them.
 *
 * @throws {InputFileError} with line numbers, never with what a line says
 */
export async function* readMessages(path: string, columns: Columns, option = "--input"): AsyncGenerator<ReadLine> {
  await refuseUnreadable(path, option);
  const chunks = textChunks(createReadStream(path), basename(path));
  const lines = formatOf(path) === "csv" ? parseCsv(chunks, columns) : parseJsonLines(chunks, columns);
  const names = { subject: columns.subject, text: columns.text, time: columns.time.name };
  for await (const parsed of lines) {
    if ("blank" in parsed) yield { line: parsed.line, skipped: "blank" };
    else if ("problem" in parsed) yield parsed;
    else {
      const checked = checkMessage(parsed.line, parsed.fields, names);
      if ("problem" in checked) yield { line: parsed.line, problem: checked.problem };
      else if ("empty" in checked) yield { line: parsed.line, skipped: "empty" };
      else yield checked;
    }
  }
}

async function refuseUnreadable(path: string, option: string): Promise<void> {
  try {
    if (!(await stat(path)).isDirectory()) return;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    const missing = code === "ENOENT" || code === "ENOTDIR";
    throw new InputFileError(
      `${path}: ${missing ? "there is no such file" : `cannot be opened (${code})`}`,
      `Check the path given to ${option}.`,
    );
  }
  throw new InputFileError(`${path} is a folder`, `Give one file to ${option}: JSON Lines, or CSV with a header.`);
}

/** Passes a file's bytes on, and refuses at once what is not text. */
async function* textChunks(stream: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  let first = true;
  try {
    for await (const chunk of stream) {
      if (first && startsAsUtf16(chunk)) {
        throw new InputFileError(`${file} is UTF-16 text`, "Save it as UTF-8 and run the command again.");
      }
      if (chunk.includes(0)) {
        throw new InputFileError(
          `${file} is not a text file (it holds NUL bytes)`,
          "Give JSON Lines, or CSV with a header, in UTF-8.",
        );
      }
      first = false;
      yield chunk;
    }
  } catch (error) {
    if (error instanceof InputFileError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new InputFileError(`${file} cannot be read (${code})`, "Check that you may read it.");
  }
}

function startsAsUtf16(chunk: Buffer): boolean {
  return (chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk[0] === 0xfe && chunk[1] === 0xff);
}

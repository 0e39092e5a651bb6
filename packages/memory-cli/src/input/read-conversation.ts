import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { checkMessage } from "./check-message.js";
import { parseCsv } from "./csv.js";
import { badLines, InputFileError, SHOWN_PROBLEMS, type LineProblem } from "./input-file-error.js";
import { parseJsonLines } from "./json-lines.js";
import type { Columns, Conversation, Message } from "./message.js";

/** A conversation is held in memory while it is proved against, so there is an end to it. */
const MAX_MESSAGES = 100_000;

/**
 * Reads a conversation file whole and checks every line before anything is stored, so that a bad line in the middle
 * leaves nothing half-done.
 *
 * @param path a `.csv` file is read as CSV, everything else as JSON Lines
 * @throws {InputFileError} with line numbers, never with what a line says
 */
export async function readConversation(path: string, columns: Columns): Promise<Conversation> {
  await refuseUnreadable(path);
  const file = basename(path);
  const format = /\.csv$/i.test(path) ? "csv" : "json-lines";
  const chunks = textChunks(createReadStream(path), file);
  const lines = format === "csv" ? parseCsv(chunks, columns) : parseJsonLines(chunks, columns);
  const names = { subject: columns.subject, text: columns.text, time: columns.time.name };

  const messages: Message[] = [];
  const problems: LineProblem[] = [];
  let blankLines = 0;
  let emptyTexts = 0;
  for await (const parsed of lines) {
    if ("blank" in parsed) blankLines += 1;
    else if ("problem" in parsed) problems.push(parsed);
    else {
      const checked = checkMessage(parsed.line, parsed.fields, names);
      if ("problem" in checked) problems.push({ line: parsed.line, problem: checked.problem });
      else if ("empty" in checked) emptyTexts += 1;
      else messages.push(checked.message);
    }
    if (problems.length >= SHOWN_PROBLEMS) break;
    if (messages.length > MAX_MESSAGES) {
      throw new InputFileError(
        `${file} has more than ${MAX_MESSAGES.toLocaleString("en")} messages`,
        "Split the file, and run the command on one part.",
      );
    }
  }
  if (problems.length > 0) throw badLines(file, problems);
  if (messages.length === 0) {
    throw new InputFileError(
      `${file} holds no message`,
      "Give a file with at least one line of text. Nothing was stored.",
    );
  }
  return { file, format, messages, blankLines, emptyTexts };
}

async function refuseUnreadable(path: string): Promise<void> {
  try {
    if (!(await stat(path)).isDirectory()) return;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    const missing = code === "ENOENT" || code === "ENOTDIR";
    throw new InputFileError(
      `${path}: ${missing ? "there is no such file" : `cannot be opened (${code})`}`,
      "Check the path given to --input.",
    );
  }
  throw new InputFileError(`${path} is a folder`, "Give one file to --input: JSON Lines, or CSV with a header.");
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

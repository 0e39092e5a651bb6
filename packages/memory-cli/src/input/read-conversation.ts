import { basename } from "node:path";
import { badLines, InputFileError, SHOWN_PROBLEMS, type LineProblem } from "./input-file-error.js";
import type { Columns, Conversation, Message } from "./message.js";
import { formatOf, readMessages } from "./read-messages.js";

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
  const file = basename(path);
  const messages: Message[] = [];
  const problems: LineProblem[] = [];
  let blankLines = 0;
  let emptyTexts = 0;
  for await (const read of readMessages(path, columns)) {
    if ("message" in read) messages.push(read.message);
    else if ("problem" in read) problems.push(read);
    else if (read.skipped === "blank") blankLines += 1;
    else emptyTexts += 1;
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
  return { file, format: formatOf(path), messages, blankLines, emptyTexts };
}

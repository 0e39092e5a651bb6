import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { badLines, InputFileError, SHOWN_PROBLEMS, type LineProblem } from "../input/input-file-error.js";
import type { Columns } from "../input/message.js";
import { readMessages } from "../input/read-messages.js";

const CHECK_EVERY = 5_000;

/** A file of which every line may be stored. */
export interface CheckedFile {
  readonly messages: number;
  readonly blankLines: number;
  readonly emptyTexts: number;
  readonly modifiedAt: string;
}

/**
 * Reads a file once from end to end and holds nothing of it, so that a bad line in the middle leaves nothing half-done.
 *
 * @throws {InputFileError} with line numbers, never with what a line says
 */
export async function checkFile(path: string, columns: Columns, between: () => Promise<void>): Promise<CheckedFile> {
  const problems: LineProblem[] = [];
  const counts = { message: 0, blank: 0, empty: 0 };
  for await (const read of readMessages(path, columns, "import")) {
    if ("problem" in read) problems.push(read);
    else counts["message" in read ? "message" : read.skipped] += 1;
    if (problems.length >= SHOWN_PROBLEMS) break;
    if ((counts.message + counts.blank + counts.empty) % CHECK_EVERY === 0) await between();
  }
  if (problems.length > 0) throw badLines(basename(path), problems);
  if (counts.message === 0) {
    throw new InputFileError(`${basename(path)} holds no message`, "Give a file with at least one line of text.");
  }
  return {
    messages: counts.message,
    blankLines: counts.blank,
    emptyTexts: counts.empty,
    modifiedAt: (await stat(path)).mtime.toISOString(),
  };
}

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { InputFileError } from "./input-file-error.js";
import { readLines } from "./lines.js";

/** The lines of a file that are not blank, one by one. Whatever is wrong with it is told when it is first read. */
export async function* linesOfFile(path: string, option: string): AsyncGenerator<string> {
  await requireFile(path, option);
  for await (const line of readLines(createReadStream(path) as AsyncIterable<Buffer>)) {
    if ("problem" in line) {
      throw new InputFileError(`line ${line.line} of ${path}: ${line.problem}`, `Check the file given to ${option}.`);
    }
    if (line.text.trim() !== "") yield line.text;
  }
}

async function requireFile(path: string, option: string): Promise<void> {
  try {
    if ((await stat(path)).isFile()) return;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new InputFileError(
      `${path}: ${code === "ENOENT" ? "there is no such file" : `cannot be opened (${code})`}`,
      `Check the file given to ${option}.`,
    );
  }
  throw new InputFileError(`${path} is not a file`, `Give one file to ${option}.`);
}

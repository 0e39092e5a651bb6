import type { Console } from "./console.js";
import type { Interrupt } from "./interrupt.js";
import { UsageError } from "../cli-error.js";

/** What is expected there, for the errors. */
export interface Expected {
  /** "a subject key": fits behind "standard input is too long to be". */
  readonly what: string;
  readonly maxBytes: number;
  /** A command line that gives it rightly. */
  readonly example: string;
}

/**
 * Reads one value from a pipe or a file. One line break at the end is not part of it; everything else is, because keys
 * are compared exactly and texts are kept as they are. From a terminal nothing is read: whoever sits there was not asked.
 *
 * @throws {UsageError} without anything of what was read
 */
export async function readStandardInput(console: Console, interrupt: Interrupt, expected: Expected): Promise<string> {
  if (console.stdin.isTTY === true) {
    throw new UsageError(
      `${expected.what.replace(/^an? /, "the ")} cannot be asked for: standard error is not a terminal`,
      `Leave standard error on the terminal, or give it on standard input, such as: ${expected.example}`,
    );
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stop = () => console.stdin.destroy();
  interrupt.signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of console.stdin as AsyncIterable<Buffer | string>) {
      const piece = Buffer.from(chunk);
      bytes += piece.length;
      if (bytes > expected.maxBytes) {
        throw new UsageError(`standard input is too long to be ${expected.what}`, "Give it alone, and nothing else.");
      }
      chunks.push(piece);
    }
  } catch (error) {
    if (interrupt.signal.aborted) throw interrupt.error();
    throw error;
  } finally {
    interrupt.signal.removeEventListener("abort", stop);
  }
  if (interrupt.signal.aborted) throw interrupt.error();
  return decode(Buffer.concat(chunks), expected);
}

function decode(bytes: Buffer, { what, example }: Expected): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    throw new UsageError("standard input is not UTF-8 text", `Give ${what} as UTF-8, such as: ${example}`);
  }
  if (text.trim() === "") {
    throw new UsageError(`standard input held no ${what.replace(/^an? /, "")}`, `Give it there, such as: ${example}`);
  }
  return text;
}

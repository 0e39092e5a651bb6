import { autocomplete, confirm, isCancel } from "@clack/prompts";
import { UsageError } from "../cli-error.js";
import { printable } from "../render/printable.js";
import type { Console } from "./console.js";
import type { Interrupt } from "./interrupt.js";

const MAX_ANSWER_BYTES = 4_096;

/** Whether somebody is there to answer. */
export function canAsk(console: Console): boolean {
  return console.stdin.isTTY === true && console.stderr.isTTY === true;
}

/** Asks which of these people; Ctrl-C and Escape are an interruption. */
export async function askForPerson(
  console: Console,
  interrupt: Interrupt,
  people: readonly { readonly subjectKey: string; readonly messages: number }[],
): Promise<string> {
  const answer = await autocomplete<string>({
    message: "Whom shall the demo forget? Type to search.",
    options: people.map(({ subjectKey, messages }) => ({
      value: subjectKey,
      label: printable(subjectKey),
      hint: `${messages} message${messages === 1 ? "" : "s"}`,
    })),
    maxItems: 10,
    ...prompting(console, interrupt),
  });
  if (isCancel(answer)) throw interrupt.error();
  return answer;
}

/** Asks yes or no; "no" is the answer to just pressing Enter. */
export async function askToConfirm(console: Console, interrupt: Interrupt, message: string): Promise<boolean> {
  const answer = await confirm({ message, initialValue: false, ...prompting(console, interrupt) });
  if (isCancel(answer)) throw interrupt.error();
  return answer;
}

/**
 * Reads a key from a pipe or a file. One line break at the end is not part of it; everything else is, because keys
 * are compared exactly.
 */
export async function readKeyFromStdin(console: Console, interrupt: Interrupt): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const stop = () => console.stdin.destroy();
  interrupt.signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of console.stdin as AsyncIterable<Buffer | string>) {
      const piece = Buffer.from(chunk);
      bytes += piece.length;
      if (bytes > MAX_ANSWER_BYTES) {
        throw new UsageError("standard input is too long to be a subject key", "Give one key, and nothing else.");
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
  const key = Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
  if (key.trim() === "") {
    throw new UsageError(
      "--forget was given, but standard input held no subject key",
      "Give it on standard input, such as: printf %s 'customer:1' | demystify-memory demo --forget",
    );
  }
  return key;
}

function prompting(console: Console, interrupt: Interrupt) {
  // Prompts are not data: standard output stays clean for whoever reads it.
  return { input: console.stdin, output: console.stderr, signal: interrupt.signal };
}

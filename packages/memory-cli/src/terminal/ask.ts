import { autocomplete, confirm, isCancel, text } from "@clack/prompts";
import { printable } from "../render/printable.js";
import type { Console } from "./console.js";
import type { Interrupt } from "./interrupt.js";
import { readStandardInput } from "./standard-input.js";

const MAX_KEY_BYTES = 4_096;

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

/** Asks for one line: a key, a text, a name to type. */
export async function askForLine(console: Console, interrupt: Interrupt, message: string): Promise<string> {
  const answer = await text({
    message,
    validate: (value) => ((value ?? "").trim() === "" ? "Type it, or press Ctrl-C to stop." : undefined),
    ...prompting(console, interrupt),
  });
  if (isCancel(answer)) throw interrupt.error();
  return answer;
}

/** Reads a subject key from a pipe or a file. `example` is a command line that gives one rightly. */
export async function readKeyFromStdin(
  console: Console,
  interrupt: Interrupt,
  example = "printf %s 'customer:1' | demystify-memory demo --forget",
): Promise<string> {
  return readStandardInput(console, interrupt, { what: "a subject key", maxBytes: MAX_KEY_BYTES, example });
}

function prompting(console: Console, interrupt: Interrupt) {
  // Prompts are not data: standard output stays clean for whoever reads it.
  return { input: console.stdin, output: console.stderr, signal: interrupt.signal };
}

import type { Memory } from "@demystify/memory";
import { CliError, EXIT } from "../cli-error.js";
import type { RememberedLine } from "../digest/remembered.js";
import type { Message } from "../input/message.js";
import type { Interrupt } from "../terminal/interrupt.js";

const BATCH = 500;

/** A stored message, with what was masked in it. */
export interface Remembered {
  readonly given: Message;
  readonly line: RememberedLine;
  readonly redactions: readonly { readonly kind: string; readonly start: number; readonly end: number }[];
}

/** Stores every message under its person, in the order of the file. */
export async function rememberAll(
  memory: Pick<Memory, "rememberMany">,
  tenantKey: string,
  messages: readonly Message[],
  interrupt: Interrupt,
  onProgress: (rows: number) => void,
): Promise<readonly Remembered[]> {
  const remembered: Remembered[] = [];
  for (let start = 0; start < messages.length; start += BATCH) {
    await interrupt.check();
    const batch = messages.slice(start, start + BATCH);
    const results = await memory.rememberMany(
      batch.map(({ subjectKey, text, at }) => ({
        tenantKey,
        subjectKey,
        text,
        ...(at === null ? {} : { capturedAt: at }),
      })),
    );
    results.forEach((result, index) => {
      const given = batch[index];
      if (given === undefined) return;
      if ("error" in result) {
        throw new CliError({
          code: result.error.code,
          message: `line ${given.line} could not be stored: ${result.error.message}`,
          help: result.error.help,
          exitCode: EXIT.failed,
        });
      }
      const { memoryId, text } = result.memory;
      remembered.push({
        given,
        line: { memoryId, subjectKey: given.subjectKey, at: given.at, text },
        redactions: result.redactions,
      });
    });
    onProgress(batch.length);
  }
  return remembered;
}

/** How many identifiers of each kind were masked, by name of kind. */
export function countRedactions(remembered: readonly Remembered[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { redactions } of remembered) {
    for (const { kind } of redactions) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

import type { Memory, RememberInput } from "@demystify/memory";
import type { Columns, Message } from "../input/message.js";
import { readMessages } from "../input/read-messages.js";
import { LineKeys } from "./line-keys.js";

const BATCH = 500;

export interface ImportJob {
  readonly tenantKey: string;
  readonly path: string;
  readonly columns: Columns;
  /** When the file was last changed: no line of it is younger. */
  readonly modifiedAt: string;
  readonly fromLine: number;
  readonly kind?: string;
  readonly provenanceKnown: boolean;
  readonly advance: (lines: number) => void;
  /** Called before each batch, with the line it begins with: the place to stop. */
  readonly between: (nextLine: number) => Promise<void>;
}

/** What an import came to: counts, codes and line numbers. */
export interface ImportReport {
  /** Stored now, or found as it was stored before. */
  readonly stored: number;
  /** Stored although a text like it was erased before. */
  readonly rematerialised: number;
  /** Identifiers masked before the write, by kind. */
  readonly redactions: Readonly<Record<string, number>>;
  /** Refused lines by error code. */
  readonly refused: Readonly<Record<string, number>>;
  readonly refusedLines: readonly number[];
}

/** Stores a file batch by batch. Stopped and run again, it stores no line twice. */
export async function importFile(memory: Pick<Memory, "rememberMany">, job: ImportJob): Promise<ImportReport> {
  const tally = new Tally();
  const keys = new LineKeys();
  let batch: { readonly message: Message; readonly key: string }[] = [];
  const store = async () => {
    const first = batch[0];
    if (first === undefined) return;
    await job.between(first.message.line);
    const results = await memory.rememberMany(batch.map(({ message, key }) => inputOf(job, message, key)));
    results.forEach((result, index) => tally.add(result, batch[index]?.message.line ?? 0));
    job.advance(batch.length);
    batch = [];
  };
  for await (const read of readMessages(job.path, job.columns, "import")) {
    if (!("message" in read)) continue;
    const { message } = read;
    // Every line is counted, so that a later start gives the same keys.
    const key = keys.next(message);
    if (message.line < job.fromLine) {
      job.advance(1);
      continue;
    }
    batch.push({ message, key });
    if (batch.length === BATCH) await store();
  }
  await store();
  return tally.report();
}

function inputOf(job: ImportJob, { subjectKey, text, at }: Message, idempotencyKey: string): RememberInput {
  return {
    tenantKey: job.tenantKey,
    subjectKey,
    text,
    capturedAt: at ?? job.modifiedAt,
    idempotencyKey,
    provenanceKnown: job.provenanceKnown,
    ...(job.kind === undefined ? {} : { kind: job.kind }),
  };
}

class Tally {
  #stored = 0;
  #rematerialised = 0;
  readonly #redactions = new Map<string, number>();
  readonly #refused = new Map<string, number>();
  readonly #refusedLines: number[] = [];

  add(result: Awaited<ReturnType<Memory["rememberMany"]>>[number], line: number): void {
    if ("error" in result) {
      increment(this.#refused, result.error.code);
      this.#refusedLines.push(line);
      return;
    }
    this.#stored += 1;
    if (result.rematerialised === true) this.#rematerialised += 1;
    for (const { kind } of result.redactions) increment(this.#redactions, kind);
  }

  report(): ImportReport {
    return {
      stored: this.#stored,
      rematerialised: this.#rematerialised,
      redactions: sorted(this.#redactions),
      refused: sorted(this.#refused),
      refusedLines: this.#refusedLines,
    };
  }
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function sorted(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

import { InvalidInputError } from "../errors.js";
import type { Redaction, RedactionResult, RedactorPort } from "./redactor-port.js";

const HELP = "The redactor must return { text, redactions: [{ kind, start, end, replacement }] }; nothing was stored.";

/**
 * Runs a redactor that may be somebody else's, and takes from its answer only what the port promises: the text, and of
 * each finding `kind`, `start`, `end` and `replacement`, so that a value it carries along goes no further.
 *
 * @throws InvalidInputError if it throws (its own error may quote the text and is not kept) or its answer is malformed:
 *   not a text, findings out of bounds, unsorted or overlapping.
 */
export function applyRedactor(redactor: RedactorPort, text: string): RedactionResult {
  let answer: unknown;
  try {
    answer = redactor.redact(text);
  } catch {
    throw new InvalidInputError("redactor", "threw an error", HELP);
  }
  if (!isRecord(answer) || typeof answer["text"] !== "string" || !Array.isArray(answer["redactions"])) {
    throw new InvalidInputError("redactor", "gave a malformed answer", HELP);
  }
  const redactions: Redaction[] = [];
  let reached = 0;
  for (const finding of answer["redactions"] as readonly unknown[]) {
    const redaction = readFinding(finding, reached, text.length);
    redactions.push(redaction);
    reached = redaction.end;
  }
  return { text: answer["text"], redactions };
}

function readFinding(finding: unknown, reached: number, length: number): Redaction {
  if (!isRecord(finding)) throw new InvalidInputError("redactor", "gave a malformed finding", HELP);
  const { kind, start, end, replacement } = finding;
  if (typeof kind !== "string" || typeof replacement !== "string" || !isOffset(start) || !isOffset(end)) {
    throw new InvalidInputError("redactor", "gave a malformed finding", HELP);
  }
  if (start < reached || end < start || end > length) {
    throw new InvalidInputError("redactor", "gave findings that overlap, are not sorted or leave the text", HELP);
  }
  return { kind, start, end, replacement };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isOffset(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

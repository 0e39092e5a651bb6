import { InvalidInputError } from "../errors.js";
import { blockEnds } from "./blocks.js";
import { detect } from "./detect.js";
import { fold } from "./folding/fold.js";
import { DEFAULT_KINDS, KIND_RULES, type RedactionKind } from "./kinds.js";
import type { Redaction, RedactionResult, RedactorPort } from "./redactor-port.js";
import type { Settings } from "./settings.js";

/** What a redactor of ours should look for. */
export interface RedactorOptions {
  /** Exactly these kinds; the seven of `DEFAULT_KINDS` if left out. To add one: `[...DEFAULT_KINDS, "upi"]`. */
  readonly kinds?: readonly RedactionKind[];
  /** Mask any bare run of 9 to 18 digits, with a label or without. Labels then keep nothing (see `ignoreLabels`). */
  readonly bareAccountNumbers?: boolean;
  /** Mask a bare number even where a label directly before it says that it is an order, a reference or an amount. */
  readonly ignoreLabels?: boolean;
  /** Mask the form of an IFSC even if no known bank has its first four letters and no label is near. */
  readonly anyBankCode?: boolean;
  /** Mask a labelled Aadhaar or GSTIN even if its check digit is wrong: a typing error is still about a person. */
  readonly labelledTypos?: boolean;
}

/** Text without a digit, an `@` or a character beyond ASCII holds no identifier. */
const MAY_HOLD_IDENTIFIER = /[0-9@&\u0080-\uffff]/;

/**
 * Makes a redactor. The same text always gives the same answer, in time linear in its length; a redactor keeps no
 * state between calls. Its findings never carry the value, and a second pass over its output finds nothing.
 *
 * @throws InvalidInputError if an option is not what its type says, `kinds` names an unknown kind, or names none.
 */
export function createRedactor(options: RedactorOptions = {}): RedactorPort {
  const settings = readOptions(options);
  return { redact: (text) => redactWith(text, settings) };
}

function redactWith(text: string, settings: Settings): RedactionResult {
  if (typeof text !== "string") throw new InvalidInputError("text", "must be a string");
  if (!MAY_HOLD_IDENTIFIER.test(text)) return { text, redactions: [] };

  const redactions: Redaction[] = [];
  let start = 0;
  for (const end of blockEnds(text)) {
    const block = start === 0 && end === text.length ? text : text.slice(start, end);
    for (const finding of detect(fold(block, start), settings)) redactions.push(finding);
    start = end;
  }
  return { text: replaceAll(text, redactions), redactions };
}

function replaceAll(text: string, redactions: readonly Redaction[]): string {
  if (redactions.length === 0) return text;
  const pieces: string[] = [];
  let copied = 0;
  for (const { start, end, replacement } of redactions) {
    pieces.push(text.slice(copied, start), replacement);
    copied = end;
  }
  pieces.push(text.slice(copied));
  return pieces.join("");
}

function readOptions(options: unknown): Settings {
  if (typeof options !== "object" || options === null) throw new InvalidInputError("options", "must be an object");
  const given = options as Record<string, unknown>;
  const bareAccountNumbers = readFlag(given, "bareAccountNumbers");
  return {
    kinds: readKinds(given["kinds"]),
    bareAccountNumbers,
    ignoreLabels: bareAccountNumbers || readFlag(given, "ignoreLabels"),
    anyBankCode: readFlag(given, "anyBankCode"),
    labelledTypos: readFlag(given, "labelledTypos"),
  };
}

function readKinds(kinds: unknown): ReadonlySet<RedactionKind> {
  if (kinds === undefined) return new Set(DEFAULT_KINDS);
  if (!Array.isArray(kinds)) throw new InvalidInputError("kinds", "must be an array of kind names");
  if (kinds.length === 0) {
    throw new InvalidInputError("kinds", "names no kind", "Pass `noRedactor` to store text as it is.");
  }
  return new Set(kinds.map(readKind));
}

function readKind(kind: unknown, index: number): RedactionKind {
  if (typeof kind !== "string" || !Object.hasOwn(KIND_RULES, kind)) {
    throw new InvalidInputError(
      `kinds[${index}]`,
      "unknown kind",
      `Known are: ${Object.keys(KIND_RULES).sort().join(", ")}.`,
    );
  }
  return kind as RedactionKind;
}

function readFlag(options: Record<string, unknown>, name: string): boolean {
  const value = options[name];
  if (value !== undefined && typeof value !== "boolean") throw new InvalidInputError(name, "must be true or false");
  return value ?? false;
}

/** The seven default kinds, as the published table has them. */
export const defaultRedactor: RedactorPort = createRedactor();

/**
 * The widest net: any bare run of 9 to 18 digits, any form of an IFSC, and labelled Aadhaar numbers and GSTINs with a
 * wrong check digit are masked too, and no label keeps anything. It masks order numbers and timestamps with the rest.
 */
export const strictRedactor: RedactorPort = createRedactor({
  bareAccountNumbers: true,
  anyBankCode: true,
  labelledTypos: true,
});

/** Changes nothing and reports nothing. Say so to your compliance officer before you pass it. */
export const noRedactor: RedactorPort = { redact: (text) => ({ text, redactions: [] }) };

/** Redacts one text with the kinds of `createRedactor(options)`. */
export function redact(text: string, options?: RedactorOptions): RedactionResult {
  return (options === undefined ? defaultRedactor : createRedactor(options)).redact(text);
}

/** What `redact` would mask, without masking it. */
export function scanPii(text: string, options?: RedactorOptions): Redaction[] {
  return [...redact(text, options).redactions];
}

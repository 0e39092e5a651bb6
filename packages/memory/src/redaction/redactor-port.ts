/** One masked identifier. It never carries the value. */
export interface Redaction {
  /** What was found: one of the built-in kinds, or whatever a custom redactor calls it. */
  readonly kind: string;
  /** UTF-16 code unit in the **input** where the identifier starts. */
  readonly start: number;
  /** UTF-16 code unit in the **input** just after the identifier. */
  readonly end: number;
  /** What stands in its place in the output. */
  readonly replacement: string;
}

/** What a redactor answers. `redactions` are sorted by `start` and disjoint. */
export interface RedactionResult {
  readonly text: string;
  readonly redactions: readonly Redaction[];
}

/**
 * Takes identifiers out of a text before it is stored or embedded. Synchronous: it must not leave the process.
 * A redactor that throws or answers something malformed stores nothing.
 */
export interface RedactorPort {
  redact(text: string): { readonly text: string; readonly redactions: readonly Redaction[] };
}

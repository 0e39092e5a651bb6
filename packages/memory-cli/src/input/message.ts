/** One line of a conversation: who it is about, when it was said, and what was said. */
export interface Message {
  /** Where it stands in the file, counted from 1. Of a CSV record with line breaks, its first line. */
  readonly line: number;
  readonly subjectKey: string;
  /** ISO 8601 in UTC, or `null` where the file has no time. */
  readonly at: string | null;
  readonly text: string;
}

/** A whole file, read and checked. */
export interface Conversation {
  /** The file's name, without its folder. */
  readonly file: string;
  readonly format: "json-lines" | "csv";
  readonly messages: readonly Message[];
  /** Lines that held nothing at all. */
  readonly blankLines: number;
  /** Messages whose text was empty: there was nothing to remember. */
  readonly emptyTexts: number;
}

/** Which field or column holds what. */
export interface Columns {
  readonly subject: string;
  readonly text: string;
  /** `required: false`: used where the file has it. */
  readonly time: { readonly name: string; readonly required: boolean };
}

/** What a parser hands on for each line: a record of raw values, or what is wrong with the line. */
export type ParsedLine =
  | { readonly line: number; readonly fields: RawFields }
  | { readonly line: number; readonly blank: true }
  | { readonly line: number; readonly problem: string };

export interface RawFields {
  readonly subject: unknown;
  readonly text: unknown;
  readonly at: unknown;
}

/** A message once it is stored: the id it got, and its text as it was stored, with identifiers masked. */
export interface RememberedLine {
  readonly memoryId: string;
  readonly subjectKey: string;
  /** ISO 8601 in UTC, or `null`. */
  readonly at: string | null;
  readonly text: string;
}

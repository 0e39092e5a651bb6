import { readFileSync } from "node:fs";

export interface SampleLine {
  readonly subject: string;
  readonly at: string;
  readonly text: string;
}

/** The sample conversation, read here on its own. */
export function sampleLines(): readonly SampleLine[] {
  const file = new URL("../../../../examples/support-messages.jsonl", import.meta.url);
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SampleLine);
}

/** All that one person of the sample wrote, and their key. */
export function literalsOfSample(subject: string): readonly string[] {
  return [subject, ...sampleLines().flatMap((line) => (line.subject === subject ? [line.text] : []))];
}

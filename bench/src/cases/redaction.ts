import { readFileSync } from "node:fs";
import { defaultRedactor } from "@demystify/memory";
import { alternate } from "../measure.js";
import type { SingleCase } from "./case.js";

const SIZES = { quick: [1000], default: [1000, 10_000, 100_000, 1_000_000], full: [1000, 10_000, 100_000, 1_000_000] };

/** What one round is long enough to be timed with. */
const BYTES_A_ROUND = 1_000_000;

interface Example {
  readonly text: string;
  readonly spans: readonly unknown[];
}

/** Redaction alone, on the labelled lines that it is tested with: an identifier or a look-alike in each, or no digit. */
export const redaction: SingleCase = {
  name: "redaction",
  stores: ["in memory"],
  run: async (_, scale, give) => {
    const examples = readExamples();
    const texts = {
      "every line labelled": examples.map(({ text }) => text),
      "lines without a digit": examples
        .filter(({ text, spans }) => spans.length === 0 && !/\p{Nd}/u.test(text))
        .map(({ text }) => text),
    };
    for (const [name, lines] of Object.entries(texts)) {
      for (const size of SIZES[scale.name]) {
        const text = repeated(lines, size);
        const bytes = Buffer.byteLength(text);
        const passes = Math.ceil(BYTES_A_ROUND / bytes);
        const [timing] = await alternate(scale.batches, [
          {
            name: "redact",
            prepare: () => async () => {
              for (let pass = 0; pass < passes; pass++) defaultRedactor.redact(text);
            },
          },
        ]);
        const perSecond = (bytes * passes) / 1000 / timing!.median;
        give({ work: name, store: "no store", size, unit: "MB/s", ours: perSecond, note: "size in bytes of one text" });
      }
    }
  },
};

function readExamples(): readonly Example[] {
  const file = new URL("../../../packages/memory/test/redaction/examples.jsonl", import.meta.url);
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Example);
}

function repeated(lines: readonly string[], bytes: number): string {
  const chosen: string[] = [];
  for (let size = 0, place = 0; size < bytes; place++) {
    const line = lines[place % lines.length]!;
    chosen.push(line);
    size += Buffer.byteLength(line) + 1;
  }
  return chosen.join("\n");
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readLines } from "../src/input/lines.js";

async function* inChunks(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let start = 0;
  for (let i = 0; start < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

describe("splitting a file into lines", () => {
  test("gives the same lines wherever the reads fall, even within a character", async () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n\uFEFF]/g, ""));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        async (lines, sizes) => {
          const seen: string[] = [];
          for await (const each of readLines(inChunks(Buffer.from(`${lines.join("\n")}\n`), sizes))) {
            seen.push("text" in each ? each.text : each.problem);
          }
          expect(seen).toEqual(lines);
        },
      ),
    );
  });

  test("never holds a line that is too long, however long it is", async () => {
    const chunk = Buffer.alloc(64 * 1_048_576, "x");
    // Five GiB: more than one buffer can be.
    const chunks = (async function* () {
      for (let i = 0; i < 80; i++) yield await Promise.resolve(chunk);
    })();

    const lines = [];
    for await (const line of readLines(chunks)) lines.push(line);
    expect(lines).toEqual([{ line: 1, problem: "5,368,709,120 bytes long; at most 8,388,608 are read" }]);
  });
});

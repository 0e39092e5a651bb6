import type { LineProblem } from "./input-file-error.js";

/** Longer lines are refused before they fill the memory. A text at its limit, every character escaped, still fits. */
export const MAX_LINE_BYTES = 8 * 1_048_576;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

export type Line = { readonly line: number; readonly text: string } | LineProblem;

/**
 * Splits bytes into lines of UTF-8 text, numbered from 1. Takes LF and CRLF, and drops a byte order mark at the
 * start. A line that is too long or not UTF-8 is reported, and reading goes on behind it.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>, maxBytes = MAX_LINE_BYTES): AsyncGenerator<Line> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let line = 1;
  let kept: Buffer[] = [];
  let length = 0;

  const finish = (): Line => {
    const number = line;
    const bytes = Buffer.concat(kept);
    const tooLong = length > maxBytes ? length : 0;
    line += 1;
    kept = [];
    length = 0;
    if (tooLong > 0) {
      return {
        line: number,
        problem: `${tooLong.toLocaleString("en")} bytes long; at most ${maxBytes.toLocaleString("en")} are read`,
      };
    }
    const end = bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length;
    try {
      const text = decoder.decode(bytes.subarray(0, end));
      return { line: number, text: number === 1 && text.startsWith("\uFEFF") ? text.slice(1) : text };
    } catch {
      return { line: number, problem: "not UTF-8 text; save the file as UTF-8" };
    }
  };

  const keep = (piece: Buffer) => {
    length += piece.length;
    if (length <= maxBytes) kept.push(piece);
    else kept = [];
  };

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    keep(chunk.subarray(start));
  }
  if (length > 0) yield finish();
}

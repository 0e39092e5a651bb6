import type { Readable, Writable } from "node:stream";
import { createColors } from "picocolors";

/** Where a command reads and writes. Tests and other front ends bring their own. */
export interface Console {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Writable & { isTTY?: boolean; columns?: number };
  readonly stderr: Writable & { isTTY?: boolean; columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * A terminal that says it has no columns, as serial lines and some editors' do, or too few for a word: whatever wraps
 * there breaks every letter, or never ends.
 */
export function assumeWidth(stream: { isTTY?: boolean; columns?: number }): void {
  if (stream.isTTY === true && (stream.columns ?? 0) < FEWEST_COLUMNS) stream.columns = 80;
}

const FEWEST_COLUMNS = 20;

export type Colors = ReturnType<typeof createColors>;

/** Colours for one stream: only on a terminal that wants them. `NO_COLOR` as in the convention of that name. */
export function colorsFor(stream: { isTTY?: boolean }, env: Console["env"]): Colors {
  const refused = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  return createColors(stream.isTTY === true && !refused);
}

/** How wide a line may be: the terminal's width up to what reads well, and the same width every time elsewhere. */
export function widthOf(stream: { isTTY?: boolean; columns?: number }): number {
  if (stream.isTTY !== true) return 100;
  const columns = stream.columns ?? 0;
  return columns === 0 ? 80 : Math.min(Math.max(columns, 60), 100);
}

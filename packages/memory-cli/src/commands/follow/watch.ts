import { Option, type Command } from "commander";
import { readCount } from "../../text/count.js";
import type { Invocation } from "../command.js";

export interface WatchOptions {
  readonly watch?: string | true;
}

/** Adds `--watch`: look again and again, and show what changes. */
export function declareWatch(command: Command): Command {
  return command.addOption(new Option("--watch [seconds]", "look again every so many seconds and show what changes"));
}

/** What is watched. */
export interface Watched<T> {
  readonly look: () => Promise<T>;
  readonly done: (value: T) => boolean;
  readonly show: (value: T) => void;
}

const DEFAULT_SECONDS = 2;

/**
 * Shows what is there, and again whenever it has changed, until it is done.
 *
 * @throws {InterruptedError} on Ctrl-C; what is watched goes on without us
 */
export async function watch<T>(
  { options, interrupt }: Invocation<WatchOptions>,
  { look, done, show }: Watched<T>,
): Promise<T> {
  const seconds =
    typeof options.watch === "string" ? readCount(options.watch, "--watch", { min: 1, max: 3_600 }) : DEFAULT_SECONDS;
  interrupt.help = "Only the watching has ended; what was watched goes on.";
  for (let shown = ""; ;) {
    await interrupt.check();
    const value = await look();
    const now = JSON.stringify(value);
    if (now !== shown) show(value);
    shown = now;
    if (done(value)) return value;
    await interrupt.pause(seconds * 1_000);
  }
}

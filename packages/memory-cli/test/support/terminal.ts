import { spawn, spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { BIN } from "./cli.js";

export interface TerminalRun {
  readonly code: number | null;
  /** What the screen was sent: both streams, with control sequences. */
  readonly screen: string;
  /** The same as text. */
  readonly text: string;
}

/** What somebody at the terminal does: waits until they read something, and types. */
export interface Reply {
  readonly when: RegExp;
  readonly type: string;
}

export const ENTER = "\r";
export const CTRL_C = "\u0003";

/** `script` of util-linux, which gives a command a terminal of its own. Part of every Debian and Ubuntu. */
function hasScript(): boolean {
  const { error, stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });
  return error === undefined && stdout.includes("util-linux");
}

/** A suite that needs a terminal. Where none can be had it says so, and fails in CI. */
export function describeInTerminal(name: string, body: () => void): void {
  if (hasScript()) {
    describe(name, body);
    return;
  }
  const reason = "`script` of util-linux is not installed (Debian: bsdutils), so nothing was seen on a terminal";
  describe(name, () => {
    test(`is not run: ${reason}`, () => {
      console.warn(`${name}: ${reason}`);
      expect(process.env["CI"] ?? "", reason).not.toBe("true");
    });
  });
}

/** Runs the built command on a terminal of its own, and answers it. */
export function runInTerminal(
  args: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly replies?: readonly Reply[];
    /** What the terminal says its size is. */
    readonly columns?: number;
    /** What the shell does with the command's streams, such as `2>file`. */
    readonly redirect?: string;
  } = {},
): Promise<TerminalRun> {
  const { DATABASE_URL: _url, NO_COLOR: _color, FORCE_COLOR: _force, CI: _ci, ...env } = process.env;
  const line = [process.execPath, BIN, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn(
    "script",
    [
      "--quiet",
      "--return",
      "--command",
      `stty cols ${String(options.columns ?? 100)} rows 40; exec ${line} ${options.redirect ?? ""}`,
      "/dev/null",
    ],
    {
      env: { ...env, TERM: "xterm-256color", SHELL: "/bin/sh", ...options.env },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const replies = [...(options.replies ?? [])];
  let screen = "";
  let read = 0;
  child.stdout.setEncoding("utf8").on("data", (data: string) => {
    screen += data;
    const next = replies[0];
    const text = asText(screen);
    if (next === undefined || !next.when.test(text.slice(read))) return;
    read = text.length;
    replies.shift();
    child.stdin.write(next.type);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, screen, text: asText(screen) }));
  });
}

function asText(screen: string): string {
  // eslint-disable-next-line no-control-regex
  return screen.replace(/\u001b\[[\d;?]*[a-z]/gi, "").replaceAll("\r\n", "\n");
}

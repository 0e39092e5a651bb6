import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

export const BIN = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));

export interface CliRun {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** Given on standard input, which is then closed. */
  readonly input?: string;
  readonly cwd?: string;
  /** Given the process as soon as it runs. */
  readonly whenStarted?: (child: ChildProcess) => void;
  readonly env?: Readonly<Record<string, string>>;
  /** Called as soon as standard error holds this text. */
  readonly whenStderr?: { readonly holds: string; readonly act: (child: ChildProcess) => void };
  /** Called as soon as standard output holds this text. */
  readonly whenStdout?: { readonly holds: string; readonly act: (child: ChildProcess) => void };
}

/** Runs the built command as a process of its own, without a terminal. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const { DATABASE_URL: _url, NO_COLOR: _color, FORCE_COLOR: _force, ...env } = process.env;
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: options.cwd,
    env: { ...env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A command that ends before it reads its input closes the pipe; that is for it to decide.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  options.whenStarted?.(child);

  let stdout = "";
  let stderr = "";
  const onceHolding = (trigger: CliOptions["whenStderr"], text: () => string) => {
    let acted = false;
    return () => {
      if (trigger === undefined || acted || !text().includes(trigger.holds)) return;
      acted = true;
      trigger.act(child);
    };
  };
  const lookOut = onceHolding(options.whenStdout, () => stdout);
  const lookErr = onceHolding(options.whenStderr, () => stderr);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    lookOut();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    lookErr();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

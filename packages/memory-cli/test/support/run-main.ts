import { PassThrough, Readable } from "node:stream";
import { main } from "../../src/main.js";

export interface MainRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line in this process, without a terminal: what `runCli` does, without a process to start. */
export async function run(
  args: readonly string[],
  options: { readonly input?: string | Buffer; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<MainRun> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const out = collect(stdout);
  const err = collect(stderr);
  const stdin = Readable.from([Buffer.from(options.input ?? "")]);
  const code = await main(args, { stdin, stdout, stderr, env: options.env ?? {} });
  return { code, stdout: out(), stderr: err() };
}

function collect(stream: PassThrough): () => string {
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString("utf8");
}

/** The one document of a run with `--json`. */
export function documentOf<T = Record<string, unknown>>({ stdout }: Pick<MainRun, "stdout">): T {
  return JSON.parse(stdout) as T;
}

/** Every line of standard output as JSON. */
export function linesOf<T = Record<string, unknown>>({ stdout }: Pick<MainRun, "stdout">): readonly T[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

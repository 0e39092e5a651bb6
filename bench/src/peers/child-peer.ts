import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Peer } from "./peer.js";

const FOLDER = fileURLToPath(new URL("../../peers/", import.meta.url));

interface Answer {
  readonly ms?: number;
  readonly value?: unknown;
  readonly error?: string;
}

export interface ChildOptions {
  readonly name: string;
  readonly module: string;
  readonly node: string;
  readonly url: string;
  readonly database: string;
}

/** A package of `bench/peers`, in a process of its own. Rejects where it cannot be opened. */
export async function openChild({ name, module, node, url, database }: ChildOptions): Promise<Peer> {
  const scratch = mkdtempSync(join(tmpdir(), "bench-peer-"));
  const child = spawn(node, [join(FOLDER, "peer.mjs"), module, JSON.stringify({ url, folder: scratch })], {
    cwd: scratch,
    // No telemetry of theirs leaves this machine, and no key of its owner reaches them.
    env: { PATH: process.env["PATH"], MEM0_TELEMETRY: "false", MASTRA_TELEMETRY_DISABLED: "true", HOME: scratch },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let complaints = "";
  child.stderr.on("data", (data: Buffer) => (complaints = `${complaints}${data.toString()}`.slice(-2000)));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (what: Readonly<Record<string, unknown>>): Promise<{ ms: number; value: unknown }> => {
    child.stdin.write(`${JSON.stringify(what)}\n`);
    const line = await lines.next();
    if (line.done === true)
      throw new Error(`${name} ended: ${complaints.trim().split("\n").at(-1) ?? "without a word"}`);
    const { ms, value, error } = JSON.parse(line.value) as Answer;
    if (error !== undefined || ms === undefined) throw new Error(`${name}: ${error ?? "no answer"}`);
    return { ms, value };
  };
  const end = () => {
    child.kill();
    rmSync(scratch, { recursive: true, force: true });
  };
  try {
    await ask({ op: "open" });
  } catch (error) {
    end();
    throw error;
  }
  return {
    name,
    database,
    put: async (user, texts) => (await ask({ op: "put", user, texts })).ms,
    search: async (user, query) => {
      const { ms, value } = await ask({ op: "search", user, query });
      return { ms, found: Number(value) };
    },
    erase: async (user) => (await ask({ op: "erase", user })).ms,
    digest: async (text) => {
      await ask({ op: "put", user: "team", texts: [text] });
    },
    files: async () => (await ask({ op: "files" })).value as string[],
    close: async () => {
      await ask({ op: "close" });
      end();
    },
  };
}

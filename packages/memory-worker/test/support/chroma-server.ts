import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { realPath } from "./real-sinks.js";

/** A Chroma server of our own, on a free port, with its data in a temporary folder. */
export interface ChromaServer {
  readonly port: number;
  readonly dataFolder: string;
  vacuum(): void;
  dump(): string;
  remove(): Promise<void>;
}

export async function startChroma(): Promise<ChromaServer> {
  const dataFolder = mkdtempSync(join(tmpdir(), "memory-worker-chroma-"));
  const port = await freePort();
  const cli = realPath("chromadb/dist/cli.mjs");
  const flags = ["run", "--path", dataFolder, "--host", "127.0.0.1", "--port", String(port)];
  const server = spawn(process.execPath, [cli, ...flags], { stdio: "ignore" });
  const end = () => server.kill("SIGKILL");
  process.once("exit", end);
  const gone = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  await ready(port, server);
  return {
    port,
    dataFolder,
    vacuum() {
      const done = spawnSync(process.execPath, [cli, "vacuum", "--path", dataFolder, "--force"], { encoding: "utf8" });
      if (done.status !== 0) throw new Error(`chroma vacuum failed: ${done.stderr}`);
    },
    dump: () =>
      readdirSync(dataFolder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
        .join("\n"),
    async remove() {
      process.off("exit", end);
      end();
      await gone;
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

async function ready(port: number, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      if ((await fetch(`http://127.0.0.1:${String(port)}/api/v2/heartbeat`)).ok) return;
    } catch {
      // Not listening yet.
    }
    if (server.exitCode !== null || Date.now() > deadline) throw new Error("Chroma did not start");
    await pause(50);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

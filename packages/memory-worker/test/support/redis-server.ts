import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient } from "redis";

/** A Redis server of our own, on a unix socket in a temporary folder, with an append-only file. */
export interface RedisServer {
  readonly socket: string;
  /** Everything on its disk, as text. */
  dump(): string;
  remove(): Promise<void>;
}

/** Why there is no Redis here, or `undefined` where there is one. */
export function redisIsMissing(): string | undefined {
  const found = spawnSync("redis-server", ["--version"], { encoding: "utf8" });
  return found.status === 0 ? undefined : "redis-server is not on the PATH (Debian: apt-get install redis-server)";
}

export async function startRedis(): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), "memory-worker-redis-"));
  const socket = join(folder, "redis.sock");
  const settings = {
    port: "0",
    unixsocket: socket,
    dir: folder,
    appendonly: "yes",
    appendfsync: "always",
    save: "",
    daemonize: "no",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const server = spawn("redis-server", flags, { cwd: folder, stdio: "ignore" });
  const end = () => server.kill("SIGKILL");
  process.once("exit", end);
  const gone = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  await ready(socket);
  return {
    socket,
    dump: () => filesIn(folder).join("\n"),
    async remove() {
      process.off("exit", end);
      end();
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ready(socket: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    if (existsSync(socket)) {
      const client = createClient({ socket: { path: socket, tls: false, reconnectStrategy: false } });
      client.on("error", () => undefined);
      try {
        await client.connect();
        await client.ping();
        await client.close();
        return;
      } catch (thrown) {
        if (Date.now() > deadline) throw thrown;
      }
    }
    if (Date.now() > deadline) throw new Error("Redis did not start");
    await pause(20);
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
}

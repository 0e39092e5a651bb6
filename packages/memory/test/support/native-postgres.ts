import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { guardedFolder } from "./guarded-folder.js";
import type { GuardedFolder } from "./guarded-folder.js";
import { executable, findBinaries, runnableBy } from "./postgres-binaries.js";
import { unprivilegedUser } from "./postgres-user.js";
import type { OsUser } from "./postgres-user.js";

export interface ClusterOptions {
  /** The folder of `initdb` and `postgres`; see `findBinaries` for the default. */
  readonly bin?: string;
  /** Server settings over the defaults below, such as `{ fsync: "on" }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A throwaway cluster has nothing to lose in a power cut. Killing the server's processes loses nothing either way. */
const SETTINGS: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "off",
  max_connections: "100",
  max_prepared_transactions: "20",
  log_min_messages: "warning",
};

const START_SECONDS = 30;
const STOP_SECONDS = 20;

/**
 * A Postgres server of our own, in a temporary folder: superuser `postgres` with a random password, on 127.0.0.1 and
 * on a socket in that folder. It ends and its folder goes with `remove()`, and also if this process dies first.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const user = unprivilegedUser();
  const folder = guardedFolder();
  try {
    const bin = runnableBy(user, findBinaries(options.bin), folder.path);
    const password = randomBytes(18).toString("hex");
    initialise(bin, folder.path, password, user);
    const cluster = new Cluster({ bin, folder, password, user, settings: { ...SETTINGS, ...options.settings } });
    await cluster.start();
    return cluster;
  } catch (error) {
    folder.remove();
    throw error;
  }
}

interface ClusterParts {
  readonly bin: string;
  readonly folder: GuardedFolder;
  readonly password: string;
  readonly user: OsUser | undefined;
  readonly settings: Readonly<Record<string, string>>;
}

export class Cluster {
  readonly dataDir: string;
  /** The folder all of it is in, with the unix socket, where connections need no password. */
  readonly root: string;
  /** The folder of the binaries in use, runnable by the user the server runs as. */
  readonly bin: string;
  readonly #parts: ClusterParts;
  #port = 0;
  #server: ChildProcess | undefined;

  constructor(parts: ClusterParts) {
    this.#parts = parts;
    this.bin = parts.bin;
    this.root = parts.folder.path;
    this.dataDir = join(this.root, "data");
  }

  get port(): number {
    return this.#port;
  }

  /** A connection string for the superuser. */
  url(database = "postgres"): string {
    return `postgresql://postgres:${this.#parts.password}@127.0.0.1:${String(this.#port)}/${database}`;
  }

  /** Starts the server, or starts it again after `stop()` or `kill()` (on another port if the old one was taken). */
  async start(): Promise<void> {
    const deadline = Date.now() + START_SECONDS * 1000;
    for (;;) {
      if (this.#port === 0 || !(await isFree(this.#port))) this.#port = await freePort();
      const server = this.#spawn();
      if (await this.#ready(server, deadline)) {
        this.#server = server;
        return;
      }
      // Another process took the port, or processes of a killed server still hold its shared memory: try again.
      if (Date.now() > deadline) throw new Error(`Postgres did not start:\n${this.log()}`);
      await pause(100);
    }
  }

  /** An orderly stop ("fast": connections are ended, everything is written). */
  async stop(): Promise<void> {
    await this.#end("SIGINT");
  }

  /** Kills the server as a crash would: nothing is flushed, and the next start recovers from the log. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Stops the server and removes its folder. */
  async remove(): Promise<void> {
    await this.stop();
    this.#parts.folder.remove();
  }

  /** What the server wrote to its log. */
  log(): string {
    return existsSync(this.#logFile) ? readFileSync(this.#logFile, "utf8") : "";
  }

  get #logFile(): string {
    return join(this.root, "server.log");
  }

  #spawn(): ChildProcess {
    const { bin, user, settings } = this.#parts;
    const log = openSync(this.#logFile, "a");
    const all = {
      ...settings,
      port: String(this.#port),
      listen_addresses: "127.0.0.1",
      unix_socket_directories: process.platform === "win32" ? "" : this.root,
    };
    const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    try {
      // A session of its own: Ctrl-C in the terminal reaches the tests, which then stop the server in order.
      return spawn(executable(bin, "postgres"), ["-D", this.dataDir, ...flags], {
        ...user,
        cwd: this.dataDir,
        detached: true,
        env: serverEnvironment(),
        stdio: ["ignore", log, log],
      });
    } finally {
      closeSync(log);
    }
  }

  async #ready(server: ChildProcess, deadline: number): Promise<boolean> {
    // A program that could not be run has no process id; without a listener the error would end this process.
    server.once("error", () => undefined);
    while (
      server.pid !== undefined &&
      server.exitCode === null &&
      server.signalCode === null &&
      Date.now() < deadline
    ) {
      const state = this.#pidFile()[7]?.trim();
      if (this.#pidFile()[0] === String(server.pid) && (state === "ready" || state === "standby")) return true;
      await pause(20);
    }
    if (server.exitCode === null && server.signalCode === null) server.kill("SIGQUIT");
    return false;
  }

  // The server itself writes its process id (line 1) and its state (line 8) here.
  #pidFile(): readonly string[] {
    try {
      return readFileSync(join(this.dataDir, "postmaster.pid"), "utf8").split("\n");
    } catch (error) {
      // A server that gives up removes it, perhaps just now.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  }

  async #end(signal: "SIGINT" | "SIGKILL"): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise<void>((resolve) =>
      server.once("exit", () => {
        resolve();
      }),
    );
    server.kill(signal);
    const stopped = await Promise.race([gone.then(() => true), pause(STOP_SECONDS * 1000, false, { ref: false })]);
    if (!stopped) {
      server.kill("SIGQUIT");
      await gone;
    }
  }
}

function initialise(bin: string, root: string, password: string, user: OsUser | undefined): void {
  const data = join(root, "data");
  const passwordFile = join(root, "password");
  mkdirSync(data);
  writeFileSync(passwordFile, password, { mode: 0o600 });
  chmodSync(root, 0o700);
  if (user !== undefined) for (const path of [root, data, passwordFile]) chownSync(path, user.uid, user.gid);
  const auth = ["--username=postgres", `--pwfile=${passwordFile}`, "--auth-local=trust", "--auth-host=scram-sha-256"];
  const result = spawnSync(
    executable(bin, "initdb"),
    ["-D", data, ...auth, "--encoding=UTF8", "--no-locale", "--no-sync", "--no-instructions"],
    { ...user, cwd: root, env: serverEnvironment(), encoding: "utf8" },
  );
  rmSync(passwordFile);
  if (result.status !== 0) throw new Error(`initdb failed: ${result.error?.message ?? result.stderr}`);
}

// Nothing of the caller's environment: PGDATA, PGPORT and the like would change what starts.
function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => {
        if (typeof address === "object" && address !== null) resolve(address.port);
        else reject(new Error("no free port"));
      });
    });
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => {
      resolve(false);
    });
    probe.listen(port, "127.0.0.1", () =>
      probe.close(() => {
        resolve(true);
      }),
    );
  });
}

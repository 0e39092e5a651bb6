import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface GuardedFolder {
  readonly path: string;
  /** Removes the folder. A server in it must have been stopped. */
  remove(): void;
}

// `cat` ends when the test process does, however it ends: the pipe closes with it. Only then there is work to do.
const SCRIPT = `
cat > /dev/null
read -r pid < "$1/data/postmaster.pid" 2> /dev/null || pid=
if [ -n "$pid" ] && { [ ! -e "/proc/$pid/cwd" ] || [ "$(readlink "/proc/$pid/cwd")" = "$1/data" ]; }; then
  kill -QUIT "$pid" 2> /dev/null
  for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" 2> /dev/null || break; sleep 0.2; done
fi
rm -rf "$1"
`;

/**
 * A temporary folder that is removed, and the server in its `data` ended, also if this process dies without doing so,
 * be it by SIGKILL.
 */
export function guardedFolder(): GuardedFolder {
  sweepLeftovers();
  const path = mkdtempSync(join(tmpdir(), `demystify-memory-${String(process.pid)}-`));
  const release = guard(path);
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
      release();
    },
  };
}

/** Begins to watch over `root`; the answer ends that, as the death of this process would. */
export function guard(root: string): () => void {
  if (process.platform === "win32") return () => undefined;
  const watcher = spawn("/bin/sh", ["-c", SCRIPT, "sh", root], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watcher.unref();
  return () => watcher.stdin.end();
}

/** Removes what runs left that died together with their guardian (a machine that went down, a killed container). */
function sweepLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const owner = /^demystify-memory-(\d+)-/.exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const root = join(tmpdir(), name);
    try {
      const server = serverIn(root);
      if (server !== undefined) process.kill(server, "SIGQUIT");
      rmSync(root, { recursive: true, force: true });
    } catch {
      // Another user's, or another run is sweeping it at this moment.
    }
  }
}

function serverIn(root: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(root, "data", "postmaster.pid"), "utf8").split("\n")[0]);
    return readlinkSync(`/proc/${String(pid)}/cwd`) === join(root, "data") ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

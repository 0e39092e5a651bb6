import { spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, readdirSync, statfsSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unprivilegedUser } from "./postgres-user.js";

const BLOCK = 8192;

/** A small file system of its own, in memory, that can be filled to the last byte and emptied again. */
export interface SmallDisk {
  /** A folder in it, which the server's user owns: for a tablespace. */
  readonly tablespace: string;
  /** Takes up all that is left: from now on the kernel answers ENOSPC. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  unmount(): void;
}

/**
 * Mounts one at `folder`, as root or by way of `sudo` where that asks for no password. Without either it answers why not:
 * limits of a process (`ulimit -f`) or of the server (`temp_file_limit`) are other errors, and stand for nothing here.
 */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk | { readonly unavailable: string } {
  mkdirSync(folder);
  const owner = unprivilegedUser() ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const options = `size=${megabytes}m,mode=0700,uid=${owner.uid},gid=${owner.gid}`;
  const mounted = asRoot("mount", "-t", "tmpfs", "-o", options, "tmpfs", folder);
  if (mounted.status !== 0) {
    const why = mounted.error?.message ?? mounted.stderr.trim();
    return { unavailable: `a small file system cannot be mounted here (${why}): run as root, or with sudo` };
  }
  const tablespace = join(folder, "tablespace");
  mkdirSync(tablespace);
  chownSync(tablespace, owner.uid, owner.gid);
  const release = guard(folder);
  const isFiller = (name: string) => name.startsWith("filler");
  return {
    tablespace,
    fill: () => {
      // One file for each block: a file system in memory counts whole pages, and nothing is left over.
      for (let n = 0; statfsSync(folder).bavail > 0; n++) {
        const blocks = Math.max(1, Math.floor((statfsSync(folder).bavail * statfsSync(folder).bsize) / BLOCK) - 1);
        try {
          writeFileSync(join(folder, `filler${n}`), Buffer.alloc(Math.min(blocks, 128) * BLOCK));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        }
      }
    },
    free: () => {
      for (const name of readdirSync(folder).filter(isFiller)) unlinkSync(join(folder, name));
    },
    unmount: () => {
      asRoot("umount", "-l", folder);
      release();
    },
  };
}

/** Unmounts it also if this process dies without doing so: `cat` ends when this process does. */
function guard(folder: string): () => void {
  const [program, ...args] = rootCommand("/bin/sh", "-c", 'cat > /dev/null; umount -l "$1" 2> /dev/null', "sh", folder);
  const watcher = spawn(program!, args, { cwd: "/", detached: true, stdio: ["pipe", "ignore", "ignore"] });
  watcher.unref();
  return () => watcher.stdin.end();
}

function asRoot(...command: readonly string[]) {
  const [program, ...args] = rootCommand(...command);
  return spawnSync(program!, args, { encoding: "utf8" });
}

function rootCommand(...command: readonly string[]): readonly string[] {
  return process.getuid?.() === 0 ? command : ["sudo", "-n", ...command];
}

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../cli-error.js";

/**
 * Takes a folder for this process: an embedded Postgres that two processes write to is destroyed.
 * A lock left behind by a process that was killed is taken over.
 *
 * @returns gives the folder back; may be called more than once
 */
export function lockFolder(folder: string, option: string): () => void {
  const path = join(folder, "in-use-by");
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx" });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const owner = Number(readFileSync(path, "utf8"));
    if (isRunning(owner)) {
      throw new UsageError(
        `the folder ${folder} is in use by process ${owner}`,
        `Wait until it has finished, or choose another folder with ${option}.`,
      );
    }
    rmSync(path, { force: true });
  }
  throw new UsageError(`the folder ${folder} is in use`, `Choose another folder with ${option}.`);
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

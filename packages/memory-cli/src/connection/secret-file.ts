import { readFileSync, statSync } from "node:fs";
import { UsageError } from "../cli-error.js";
import type { Progress } from "../terminal/progress.js";

const MAX_BYTES = 65_536;

/**
 * Reads a secret from a file, without one line break at its end. The file's name may be shown, what it holds never is.
 *
 * @throws {UsageError}
 */
export function readSecretFile(path: string, option: string, progress: Progress): string {
  let content: string;
  try {
    const { mode, size } = statSync(path);
    if (size > MAX_BYTES) throw new UsageError(`${path} is too long to hold a secret`, `Check the file of ${option}.`);
    content = readFileSync(path, "utf8").replace(/\r?\n$/, "");
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      progress.note(`Note: others on this machine can read ${path}; chmod 600 keeps it to you.`);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new UsageError(`${path}: cannot be read (${code})`, `Check the file given to ${option}.`);
  }
  if (content.trim() === "") throw new UsageError(`${path} is empty`, `Put the secret into the file of ${option}.`);
  return content;
}

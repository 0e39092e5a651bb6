import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { SinkError } from "../sink-error.js";

/**
 * Whether a text stands anywhere in the files below a folder, byte for byte. The tag of a copy is stored in the same
 * record as its content, so a tag that is nowhere tells that the record is not there either.
 *
 * @throws SinkError where the folder or a file in it cannot be read, for that shows nothing
 */
export async function bytesInFolder(folder: string, text: string, signal: AbortSignal): Promise<boolean> {
  const wanted = Buffer.from(text, "utf8");
  let files;
  try {
    files = await readdir(folder, { recursive: true, withFileTypes: true });
  } catch {
    throw new SinkError("not_found");
  }
  for (const file of files) {
    if (!file.isFile()) continue;
    if (await bytesInFile(join(file.parentPath, file.name), wanted, signal)) return true;
  }
  return false;
}

async function bytesInFile(path: string, wanted: Buffer, signal: AbortSignal): Promise<boolean> {
  let carried = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(path, { signal }) as AsyncIterable<Buffer>) {
      const window = Buffer.concat([carried, chunk]);
      if (window.includes(wanted)) return true;
      carried = window.subarray(Math.max(0, window.length - wanted.length + 1));
    }
    return false;
  } catch (thrown) {
    // A file that was removed while the folder was read holds nothing.
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw new SinkError(signal.aborted ? "timeout" : "unavailable");
  }
}

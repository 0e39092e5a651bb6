import { lstat, mkdir, readdir, realpath, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { InvalidInputError } from "@demystify/memory";
import { tenantTag, type CopyTag } from "../copy.js";
import { SinkError } from "../sink-error.js";
import type { Sink, SinkCall, SinkEntry } from "../sink.js";

/** Files under one folder, such as exports. */
export interface FilesystemSinkOptions {
  readonly name: string;
  /** An absolute path. It must exist: a folder that is not mounted is no empty folder. */
  readonly root: string;
}

/**
 * Files under `<root>/<tenantTag>/<placementId>/`, which `filesystemPath` names. A `ref` is the path below the root.
 * Reaches `unfindable`: the file and everything else in the folder of its tag are gone.
 *
 * Not `purged`: blocks stay on the disk until they are overwritten, and snapshots, backups and other mounts keep what
 * they have.
 *
 * @throws InvalidInputError
 */
export function filesystemSink({ name, root }: FilesystemSinkOptions): Sink {
  if (resolve(root) !== root) throw new InvalidInputError("root", "must be an absolute path in its plain form");
  return {
    name,
    reaches: "unfindable",
    whyNotMore: "Blocks stay on the disk until they are overwritten; snapshots and backups keep what they have.",
    async destroy(copy) {
      await mustExist(root);
      const folder = join(tenantTag(copy.tenantKey), copy.placementId);
      for (const path of [within(root, copy.ref), within(root, folder)]) {
        await staysInside(root, path);
        await rm(path, { recursive: true, force: true });
        await removeIfEmpty(root, dirname(path));
      }
      return "acknowledged";
    },
    async readBackById({ ref }) {
      await mustExist(root);
      return (await kindOf(within(root, ref))) === undefined ? "absent" : "present";
    },
    async readBackByTag(tag) {
      await mustExist(root);
      return filesIn(root, join(tag.tenantTag, tag.placementId));
    },
    async *enumerate(tenant: string, { signal }: SinkCall): AsyncIterable<SinkEntry> {
      await mustExist(root);
      for (const placement of await namesIn(join(root, tenant))) {
        const folder = join(tenant, placement);
        if (signal.aborted) return;
        // A file beside the folders of the tags carries none.
        if ((await kindOf(join(root, folder))) !== "folder") yield { ref: folder, placementId: null };
        else for (const ref of await filesIn(root, folder)) yield { ref, placementId: placement };
      }
    },
    async plant(tag) {
      await mustExist(root);
      const ref = filesystemPath(tag, "control");
      await mkdir(dirname(join(root, ref)), { recursive: true });
      await writeFile(join(root, ref), "");
      return ref;
    },
  };
}

/** Where a writer puts a copy, below the root: the `ref` of its placement. Keep persons out of the file's name. */
export function filesystemPath(tag: CopyTag, fileName: string): string {
  if (fileName.includes("/") || fileName.includes(sep) || fileName === "" || fileName === "." || fileName === "..") {
    throw new InvalidInputError("fileName", "must be a plain name");
  }
  return join(tag.tenantTag, tag.placementId, fileName);
}

// A ref was written by whoever recorded the placement: it must not lead out of the folder, nor be the folder.
function within(root: string, ref: string): string {
  const path = resolve(root, ref);
  if (!path.startsWith(root.endsWith(sep) ? root : root + sep)) throw new SinkError("refused");
  return path;
}

// Nor through a link that somebody put on the way.
async function staysInside(root: string, path: string): Promise<void> {
  try {
    const real = await realpath(dirname(path));
    const realRoot = await realpath(root);
    if (real !== realRoot && !real.startsWith(realRoot + sep)) throw new SinkError("refused");
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
  }
}

async function mustExist(root: string): Promise<void> {
  if ((await kindOf(root)) !== "folder") throw new SinkError("not_found");
}

async function kindOf(path: string): Promise<"folder" | "file" | undefined> {
  try {
    return (await lstat(path)).isDirectory() ? "folder" : "file";
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}

async function filesIn(root: string, folder: string): Promise<readonly string[]> {
  if ((await kindOf(join(root, folder))) === undefined) return [];
  const found: string[] = [];
  for (const name of await namesIn(join(root, folder))) {
    const path = join(folder, name);
    if ((await kindOf(join(root, path))) === "folder") found.push(...(await filesIn(root, path)));
    else found.push(path);
  }
  return found;
}

// Empty folders say that somebody was there, and nothing else.
async function removeIfEmpty(root: string, folder: string): Promise<void> {
  for (let path = folder; path.startsWith(root + sep); path = dirname(path)) {
    try {
      await rmdir(path);
    } catch {
      return;
    }
  }
}

function isMissing(thrown: unknown): boolean {
  const code = (thrown as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ENOTDIR";
}

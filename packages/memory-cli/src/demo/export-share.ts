import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Memory } from "@demystify/memory";
import { filesystemPath, filesystemSink, placeThenWrite, type Sink } from "@demystify/memory-worker";

/** How many of a person's texts are copied: enough to see. */
const COPIES = 3;

/** A text that was stored, to be copied. */
export interface Copied {
  readonly memoryId: string;
  readonly text: string;
}

/**
 * Files on another machine, as far as the product can tell: a folder that can be taken away as a network share can.
 * Copies go there through the worker's own writer, and come from there through its own sink.
 */
export class ExportShare {
  readonly sink: Sink;
  readonly #base: string;

  private constructor(base: string) {
    this.#base = base;
    this.sink = filesystemSink({ name: "export-share", root: this.#root });
  }

  /** @param folder where to make it; what an earlier run that was killed left there goes. `null`: a temporary one */
  static create(folder: string | null): ExportShare {
    if (folder !== null) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
    }
    const base = folder ?? mkdtempSync(join(tmpdir(), "demystify-memory-demo-"));
    const share = new ExportShare(realpathSync(base));
    mkdirSync(share.#root);
    return share;
  }

  /** Writes some of the texts there, each recorded before it is written. @returns how many */
  async copy(memory: Memory, tenantKey: string, texts: readonly Copied[]): Promise<number> {
    const chosen = texts.slice(0, COPIES);
    for (const { memoryId, text } of chosen) {
      await placeThenWrite({
        memory,
        tenantKey,
        sink: this.sink,
        ref: "being-written",
        kind: "text-export",
        sources: [{ sourceKind: "memory", sourceId: memoryId }],
        write: (tag) => {
          const ref = filesystemPath(tag, "message.txt");
          const path = join(this.#root, ref);
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, text);
          return Promise.resolve(ref);
        },
      });
    }
    return chosen.length;
  }

  /** From now on it cannot be reached. What is on it stays on it. */
  goDown(): void {
    renameSync(this.#root, this.#away);
  }

  comeUp(): void {
    renameSync(this.#away, this.#root);
  }

  /** How many files hold one of these texts, by reading them all, wherever the share is. */
  filesHolding(texts: ReadonlySet<string>): number {
    const names = readdirSync(this.#base, { recursive: true, encoding: "utf8" });
    const files = names.map((name) => join(this.#base, name)).filter((path) => statSync(path).isFile());
    return files.filter((path) => texts.has(readFileSync(path, "utf8"))).length;
  }

  remove(): void {
    rmSync(this.#base, { recursive: true, force: true });
  }

  get #root(): string {
    return join(this.#base, "share");
  }

  get #away(): string {
    return join(this.#base, "unreachable");
  }
}

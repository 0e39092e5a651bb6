import { createHash } from "node:crypto";
import type { Message } from "../input/message.js";

/**
 * A name for each line, made of its person, time and text: the same line of a file, or of a corrected version of it,
 * has the same name again. Lines that are alike are told apart by which of them it is.
 */
export class LineKeys {
  readonly #seen = new Map<string, number>();

  next({ subjectKey, at, text }: Message): string {
    const hash = createHash("sha256")
      .update(JSON.stringify([subjectKey, at, text]))
      .digest("base64url");
    const before = this.#seen.get(hash) ?? 0;
    this.#seen.set(hash, before + 1);
    return `import:${hash}:${before}`;
  }
}

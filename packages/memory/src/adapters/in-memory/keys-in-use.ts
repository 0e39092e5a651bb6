import { ClosureNotEnumerableError } from "../../errors.js";
import type { StoreSubject } from "../../ports/memory-store.js";
import type { KeyCheck } from "../../ports/upkeep-store.js";

/**
 * The pepper keys that have been used in a tenant, each with a value that tells whether a secret is the right one.
 * They stay when their last row goes: who lacks one must not certify that there is nothing.
 */
export class KeysInUse {
  private readonly checks = new Map<string | null, string | null>();

  /** Takes the key that new rows are written under. A wrong secret behind a known id is refused. */
  register(keys: readonly KeyCheck[]): void {
    this.refuseWrong(keys);
    const [written] = keys;
    if (written !== undefined) this.note(written.keyId, written.check);
  }

  /** Takes a key that something is filed under; `null` where nobody gave a value to check it by. */
  note(keyId: string | null, check: string | null): void {
    this.checks.set(keyId, this.checkOf(keyId) ?? check);
  }

  /** The unkeyed hash (`null`) first: it needs no secret, so who lacks only that can look again. */
  ids(): readonly (string | null)[] {
    return [...this.checks.keys()].sort((a, b) => ((a ?? "") < (b ?? "") ? -1 : 1));
  }

  checkOf(keyId: string | null): string | null {
    return this.checks.get(keyId) ?? null;
  }

  /** Refuses a caller who lacks a key that was used here, or holds another secret behind its id. */
  refuseUnlessAllIn(keys: readonly KeyCheck[]): void {
    const held = new Set(keys.map(({ keyId }) => keyId));
    for (const keyId of this.ids()) {
      if (held.has(keyId)) continue;
      throw notEnumerable(
        keyId === null
          ? "rows were written without a pepper, and this call does not look for them"
          : `the secret of pepper key "${keyId}" is missing here`,
        keyId,
      );
    }
    this.refuseWrong(keys);
  }

  /** The same for a person; the hashes that this store listed itself need no secret. */
  refuseUnlessNamed(subject: StoreSubject): void {
    if (subject.listed !== true) this.refuseUnlessAllIn(subject.known);
  }

  private refuseWrong(keys: readonly KeyCheck[]): void {
    for (const { keyId, check } of keys) {
      const known = this.checkOf(keyId);
      if (known === null || check === null || known === check) continue;
      throw notEnumerable(`the secret of pepper key "${String(keyId)}" is not the one used before`, keyId);
    }
  }
}

function notEnumerable(message: string, keyId: string | null): ClosureNotEnumerableError {
  return new ClosureNotEnumerableError(message, "Configure the key that is missing, then call again.", keyId);
}

import { hmacSha256, sha256 } from "#digest";
import { sharedTag } from "../domain/content-tag.js";
import { encodeParts, toHex, type HashLabel } from "./encoding.js";
import type { PepperKey } from "./pepper.js";
import { Sip } from "./siphash.js";

/** A key by its id (`null`: no pepper) and a value that tells, without the secret, whether it is the right one. */
export interface CheckedKey {
  readonly keyId: string | null;
  readonly check: string | null;
}

/** One person's hash under one key. */
export interface KeyedHash extends CheckedKey {
  readonly hash: string;
}

/** Texts this long say enough to be recognised whoever they are filed under. */
const SHARED_CONTENT_LENGTH = 40;

/**
 * Everything here that is a hash of something personal. New hashes are made under the first key, look-ups under all
 * of them. Without a pepper the hashes are plain SHA-256: stable, and open to anybody who can guess the key.
 *
 * The secrets are in private fields, so that no log of an object shows them.
 */
export class Keyring {
  readonly #keys: readonly (PepperKey | null)[];
  readonly #checked: readonly CheckedKey[];
  #withUnkeyed: Keyring | undefined;

  /** @param keys newest first, `null` for plain SHA-256; empty for that alone */
  constructor(keys: readonly (PepperKey | null)[]) {
    this.#keys = keys.length === 0 ? [null] : keys;
    this.#checked = this.#keys.map((key) =>
      key === null ? { keyId: null, check: null } : { keyId: key.id, check: digestHex(key, encodeParts("check")) },
    );
  }

  /** Whether hashes are made with a secret. */
  get keyed(): boolean {
    return this.#first !== null;
  }

  /** The keys in use, the written one first. */
  get keys(): readonly CheckedKey[] {
    return this.#checked;
  }

  /**
   * The same keys, and last the hash that needs none: for a tenant that has rows from before there was a pepper. What is
   * written stays under the first key.
   */
  withUnkeyed(): Keyring {
    this.#withUnkeyed ??= this.#keys.includes(null) ? this : new Keyring([...this.#keys, null]);
    return this.#withUnkeyed;
  }

  /** The hash of a person under one key, or `null` where the ring does not hold that key. Without a key none is needed. */
  subjectUnder(keyId: string | null, tenantKey: string, subjectKey: string): string | null {
    const key = keyId === null ? null : this.#keys.find((held) => held?.id === keyId);
    return key === undefined ? null : digestHex(key, encodeParts("subject", tenantKey, subjectKey));
  }

  /** A person's hash under every key, the written one first. */
  subject(tenantKey: string, subjectKey: string): readonly [KeyedHash, ...KeyedHash[]] {
    const input = encodeParts("subject", tenantKey, subjectKey);
    const hashes = this.#keys.map((key, index) => ({ hash: digestHex(key, input), ...this.#checked[index] }));
    return hashes as unknown as readonly [KeyedHash, ...KeyedHash[]];
  }

  /**
   * The tags by which an erased text is known again: under every key, one for each person it is filed under, and for
   * texts of 40 characters or more one that holds whoever they are filed under. None without a pepper: a plain hash
   * of a text is a way to confirm a guess of it.
   */
  contentTags(tenantKey: string, subjectKeys: readonly string[], text: string): readonly string[] {
    const own = subjectKeys.map((subjectKey) => encodeParts("content-of", tenantKey, subjectKey, text));
    const shared = text.length >= SHARED_CONTENT_LENGTH ? encodeParts("content", tenantKey, text) : null;
    return this.#keys
      .filter((key) => key !== null)
      .flatMap((key) => [
        ...own.map((input) => digestHex(key, input)),
        ...(shared === null ? [] : [sharedTag(digestHex(key, shared))]),
      ]);
  }

  /** What makes two records of a copy one: its sink, ref, kind and sources, in whatever order these are named. */
  placementFingerprint(
    tenantKey: string,
    copy: { readonly sink: string; readonly ref: string; readonly kind: string; readonly sourceIds: readonly string[] },
  ): string {
    const parts = [copy.sink, copy.ref, copy.kind, ...[...copy.sourceIds].sort()];
    return digestHex(this.#first, encodeParts("placement", tenantKey, ...parts));
  }

  idempotencyHash(tenantKey: string, idempotencyKey: string): string {
    return this.#written("idempotency", tenantKey, idempotencyKey);
  }

  requestHash(tenantKey: string, requestId: string): string {
    return this.#written("request", tenantKey, requestId);
  }

  requesterHash(tenantKey: string, requesterId: string): string {
    return this.#written("requester", tenantKey, requesterId);
  }

  /** Hashes terms as they are written. Keep it for a batch: making one costs as much as many terms. */
  termHasher(tenantKey: string): (terms: readonly string[]) => readonly bigint[] {
    const sip = termSip(this.#first, tenantKey);
    return (terms) => terms.map((term) => sip.hashText(term));
  }

  /** For each term its hash under every key. */
  queryTerms(tenantKey: string, terms: readonly string[]): readonly (readonly bigint[])[] {
    const sips = this.#keys.map((key) => termSip(key, tenantKey));
    return terms.map((term) => sips.map((sip) => sip.hashText(term)));
  }

  get #first(): PepperKey | null {
    return this.#keys[0] ?? null;
  }

  #written(label: HashLabel, tenantKey: string, value: string): string {
    return digestHex(this.#first, encodeParts(label, tenantKey, value));
  }
}

function termSip(key: PepperKey | null, tenantKey: string): Sip {
  return new Sip(digest(key, encodeParts("term", tenantKey)).subarray(0, 16));
}

function digestHex(key: PepperKey | null, input: Uint8Array): string {
  return toHex(digest(key, input));
}

function digest(key: PepperKey | null, input: Uint8Array): Uint8Array {
  return key === null ? sha256(input) : hmacSha256(key.secret, input);
}

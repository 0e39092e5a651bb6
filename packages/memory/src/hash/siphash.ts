/**
 * SipHash-2-4 with a 64-bit result (Aumasson and Bernstein, 2012), over the UTF-8 of a term, in 32-bit arithmetic:
 * BigInt arithmetic would cost several times the rest of a write.
 *
 * The state is four 64-bit words, each kept as a high and a low half in the registers of `Sip`.
 */
export class Sip {
  readonly #k0h: number;
  readonly #k0l: number;
  readonly #k1h: number;
  readonly #k1l: number;
  readonly #result = new DataView(new ArrayBuffer(8));
  #bytes = new Uint8Array(256);

  /** @param key 16 bytes */
  constructor(key: Uint8Array) {
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
    this.#k0l = view.getInt32(0, true);
    this.#k0h = view.getInt32(4, true);
    this.#k1l = view.getInt32(8, true);
    this.#k1h = view.getInt32(12, true);
  }

  /** The hash of a string's UTF-8, as a signed 64-bit integer: what a Postgres `bigint` holds. */
  hashText(text: string): bigint {
    if (text.length * 3 > this.#bytes.length) this.#bytes = new Uint8Array(text.length * 3);
    return this.#hash(this.#bytes, writeUtf8(text, this.#bytes));
  }

  /** The hash of bytes, as a signed 64-bit integer. */
  hashBytes(bytes: Uint8Array): bigint {
    return this.#hash(bytes, bytes.length);
  }

  #hash(bytes: Uint8Array, length: number): bigint {
    let v0h = this.#k0h ^ 0x736f6d65;
    let v0l = this.#k0l ^ 0x70736575;
    let v1h = this.#k1h ^ 0x646f7261;
    let v1l = this.#k1l ^ 0x6e646f6d;
    let v2h = this.#k0h ^ 0x6c796765;
    let v2l = this.#k0l ^ 0x6e657261;
    let v3h = this.#k1h ^ 0x74656462;
    let v3l = this.#k1l ^ 0x79746573;

    const blocks = (length >>> 3) + 1;
    const lastRound = 2 * blocks + 4;
    let mh = 0;
    let ml = 0;
    for (let round = 0; round < lastRound; round++) {
      const compressing = round < 2 * blocks;
      if (compressing && (round & 1) === 0) {
        const start = round << 2;
        ml = word(bytes, start, length);
        mh = word(bytes, start + 4, length);
        // The last block carries the length, modulo 256, in its highest byte.
        if (round === 2 * blocks - 2) mh |= length << 24;
        v3h ^= mh;
        v3l ^= ml;
      }
      if (round === 2 * blocks) v2l ^= 0xff;

      let sum = (v0l >>> 0) + (v1l >>> 0);
      v0h = (v0h + v1h + (sum > 0xffffffff ? 1 : 0)) | 0;
      v0l = sum | 0;
      sum = (v2l >>> 0) + (v3l >>> 0);
      v2h = (v2h + v3h + (sum > 0xffffffff ? 1 : 0)) | 0;
      v2l = sum | 0;

      let swap = (v1h << 13) | (v1l >>> 19);
      v1l = ((v1l << 13) | (v1h >>> 19)) ^ v0l;
      v1h = swap ^ v0h;
      swap = (v3h << 16) | (v3l >>> 16);
      v3l = ((v3l << 16) | (v3h >>> 16)) ^ v2l;
      v3h = swap ^ v2h;
      swap = v0h;
      v0h = v0l;
      v0l = swap;

      sum = (v2l >>> 0) + (v1l >>> 0);
      v2h = (v2h + v1h + (sum > 0xffffffff ? 1 : 0)) | 0;
      v2l = sum | 0;
      sum = (v0l >>> 0) + (v3l >>> 0);
      v0h = (v0h + v3h + (sum > 0xffffffff ? 1 : 0)) | 0;
      v0l = sum | 0;

      swap = (v1h << 17) | (v1l >>> 15);
      v1l = ((v1l << 17) | (v1h >>> 15)) ^ v2l;
      v1h = swap ^ v2h;
      swap = (v3h << 21) | (v3l >>> 11);
      v3l = ((v3l << 21) | (v3h >>> 11)) ^ v0l;
      v3h = swap ^ v0h;
      swap = v2h;
      v2h = v2l;
      v2l = swap;

      if (compressing && (round & 1) === 1) {
        v0h ^= mh;
        v0l ^= ml;
      }
    }

    this.#result.setInt32(0, v0h ^ v1h ^ v2h ^ v3h);
    this.#result.setInt32(4, v0l ^ v1l ^ v2l ^ v3l);
    return this.#result.getBigInt64(0);
  }
}

function word(bytes: Uint8Array, start: number, length: number): number {
  if (start + 4 <= length) {
    return bytes[start]! | (bytes[start + 1]! << 8) | (bytes[start + 2]! << 16) | (bytes[start + 3]! << 24);
  }
  let value = 0;
  for (let i = length - 1; i >= start; i--) value = (value << 8) | bytes[i]!;
  return value;
}

// By hand, because TextEncoder costs more than the hash of a word. Terms hold no lone surrogate.
function writeUtf8(text: string, bytes: Uint8Array): number {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      bytes[length++] = code;
    } else if (code < 0x800) {
      bytes[length++] = 0xc0 | (code >>> 6);
      bytes[length++] = 0x80 | (code & 0x3f);
    } else {
      if ((code & 0xfc00) === 0xd800) {
        code = 0x10000 + ((code & 0x3ff) << 10) + (text.charCodeAt(++i) & 0x3ff);
        bytes[length++] = 0xf0 | (code >>> 18);
        bytes[length++] = 0x80 | ((code >>> 12) & 0x3f);
      } else {
        bytes[length++] = 0xe0 | (code >>> 12);
      }
      bytes[length++] = 0x80 | ((code >>> 6) & 0x3f);
      bytes[length++] = 0x80 | (code & 0x3f);
    }
  }
  return length;
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Sip } from "../../src/hash/siphash.js";

const KEY = Uint8Array.from({ length: 16 }, (_, i) => i);
const counting = (length: number) => Uint8Array.from({ length }, (_, i) => i);

// SipHash-2-4 of 0, 1, 2, … under the key 00 01 … 0f, from the authors' reference vectors (little-endian bytes).
const VECTORS: readonly (readonly [number, bigint])[] = [
  [0, 0x726fdb47dd0e0e31n],
  [1, 0x74f839c593dc67fdn],
  [2, 0x0d6c8009d9a94f5an],
  [3, 0x85676696d7fb7e2dn],
  [4, 0xcf2794e0277187b7n],
  [5, 0x18765564cd99a68dn],
  [6, 0xcbc9466e58fee3cen],
  [7, 0xab0200f58b01d137n],
  [8, 0x93f5f5799a932462n],
  [9, 0x9e0082df0ba9e4b0n],
  [10, 0x7a5dbbc594ddb9f3n],
  [11, 0xf4b32f46226bada7n],
  [12, 0x751e8fbc860ee5fbn],
  [13, 0x14ea5627c0843d90n],
  [14, 0xf723ca908e7af2een],
  [15, 0xa129ca6149be45e5n],
  [63, 0x958a324ceb064572n],
];

/** The definition, word for word, in BigInt arithmetic. */
function reference(key: Uint8Array, message: Uint8Array): bigint {
  const mask = (1n << 64n) - 1n;
  const rotate = (x: bigint, bits: bigint) => ((x << bits) | (x >> (64n - bits))) & mask;
  const littleEndian = (bytes: Uint8Array) => bytes.reduceRight((word, byte) => (word << 8n) | BigInt(byte), 0n);
  const k0 = littleEndian(key.subarray(0, 8));
  const k1 = littleEndian(key.subarray(8, 16));
  let v0 = k0 ^ 0x736f6d6570736575n;
  let v1 = k1 ^ 0x646f72616e646f6dn;
  let v2 = k0 ^ 0x6c7967656e657261n;
  let v3 = k1 ^ 0x7465646279746573n;
  const round = () => {
    v0 = (v0 + v1) & mask;
    v1 = rotate(v1, 13n) ^ v0;
    v0 = rotate(v0, 32n);
    v2 = (v2 + v3) & mask;
    v3 = rotate(v3, 16n) ^ v2;
    v0 = (v0 + v3) & mask;
    v3 = rotate(v3, 21n) ^ v0;
    v2 = (v2 + v1) & mask;
    v1 = rotate(v1, 17n) ^ v2;
    v2 = rotate(v2, 32n);
  };
  const whole = message.length - (message.length % 8);
  const last = new Uint8Array(8);
  last.set(message.subarray(whole));
  last[7] = message.length & 0xff;
  const words = [];
  for (let i = 0; i < whole; i += 8) words.push(littleEndian(message.subarray(i, i + 8)));
  for (const word of [...words, littleEndian(last)]) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
  v2 ^= 0xffn;
  for (let i = 0; i < 4; i++) round();
  return BigInt.asIntN(64, v0 ^ v1 ^ v2 ^ v3);
}

describe("SipHash-2-4", () => {
  test.each(VECTORS)("of %i bytes is the published one", (length, expected) => {
    expect(new Sip(KEY).hashBytes(counting(length))).toBe(BigInt.asIntN(64, expected));
  });

  test("is what the definition says, for any key and message", () => {
    const key = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(key, fc.uint8Array({ maxLength: 300, size: "max" }), (secret, message) => {
        expect(new Sip(secret).hashBytes(message)).toBe(reference(secret, message));
      }),
    );
  });

  test("of a text is that of its UTF-8, for every script and length", () => {
    const sip = new Sip(KEY);
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400, size: "max" }), (text) => {
        fc.pre(!/[\uD800-\uDFFF]/u.test(text));

        expect(sip.hashText(text)).toBe(sip.hashBytes(new TextEncoder().encode(text)));
      }),
    );
  });

  test("one hasher gives the same answer again after a longer text", () => {
    const sip = new Sip(KEY);
    const before = sip.hashText("खाता");

    sip.hashText("x".repeat(5000));

    expect(sip.hashText("खाता")).toBe(before);
  });
});

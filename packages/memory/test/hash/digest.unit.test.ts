import * as nodeCrypto from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHex } from "../../src/hash/encoding.js";
import * as digestNode from "../../src/hash/digest-node.js";
import * as digestPure from "../../src/hash/digest-pure.js";

const utf8 = new TextEncoder();
const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

// FIPS 180-4 examples and the NIST CAVP short-message vectors.
const SHA_256_VECTORS: readonly (readonly [string, Uint8Array, string])[] = [
  ["the empty message", new Uint8Array(0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["one block", utf8.encode("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  [
    "56 bytes, where the length needs a second block",
    utf8.encode("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
  [
    "112 bytes",
    utf8.encode(
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
    ),
    "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
  ],
  ["one byte", fromHex("bd"), "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"],
  [
    "a million times the letter a",
    utf8.encode("a".repeat(1_000_000)),
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
  ],
];

// RFC 4231, test cases 1 to 4, 6 and 7.
const HMAC_VECTORS: readonly (readonly [string, Uint8Array, Uint8Array, string])[] = [
  [
    "a key of 20 bytes",
    fromHex("0b".repeat(20)),
    utf8.encode("Hi There"),
    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
  ],
  [
    "a key shorter than the hash",
    utf8.encode("Jefe"),
    utf8.encode("what do ya want for nothing?"),
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  ],
  [
    "more than 64 bytes together",
    fromHex("aa".repeat(20)),
    fromHex("dd".repeat(50)),
    "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
  ],
  [
    "a key of 25 bytes",
    fromHex("0102030405060708090a0b0c0d0e0f10111213141516171819"),
    fromHex("cd".repeat(50)),
    "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
  ],
  [
    "a key longer than a block",
    fromHex("aa".repeat(131)),
    utf8.encode("Test Using Larger Than Block-Size Key - Hash Key First"),
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
  ],
  [
    "key and data longer than a block",
    fromHex("aa".repeat(131)),
    utf8.encode(
      "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.",
    ),
    "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
  ],
];

describe.each([
  ["in plain script", digestPure],
  ["by node:crypto", digestNode],
])("digests %s", (_name, digest) => {
  test.each(SHA_256_VECTORS)("SHA-256 of %s is the published one", (_case, message, expected) => {
    expect(toHex(digest.sha256(message))).toBe(expected);
  });

  test.each(HMAC_VECTORS)("HMAC-SHA-256 with %s is the published one", (_case, key, message, expected) => {
    expect(toHex(digest.hmacSha256(key, message))).toBe(expected);
  });
});

describe("the two implementations", () => {
  test("agree on any message, also on a view into a larger buffer", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300, size: "max" }), fc.nat(8), (bytes, offset) => {
        const view = bytes.subarray(Math.min(offset, bytes.length));

        expect(toHex(digestPure.sha256(view))).toBe(nodeCrypto.createHash("sha256").update(view).digest("hex"));
      }),
    );
  });

  test("agree on any key and message", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200, size: "max" }),
        fc.uint8Array({ maxLength: 300, size: "max" }),
        (key, message) => {
          expect(toHex(digestPure.hmacSha256(key, message))).toBe(toHex(digestNode.hmacSha256(key, message)));
        },
      ),
    );
  });

  test("agree at every length around a block", () => {
    for (let length = 0; length <= 130; length++) {
      const message = new Uint8Array(length).fill(length);
      expect(toHex(digestPure.sha256(message))).toBe(toHex(digestNode.sha256(message)));
    }
  });
});

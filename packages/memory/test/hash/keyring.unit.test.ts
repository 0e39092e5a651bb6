import { createHash, createHmac } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeParts, toHex } from "../../src/hash/encoding.js";
import { Keyring } from "../../src/hash/keyring.js";
import { readPepper } from "../../src/hash/pepper.js";
import { sha256Hex, subjectHash } from "../../src/hash/public-hashes.js";

const SECRET = "a secret of at least thirty-two bytes";
const OLD_SECRET = "an older secret, thirty-two bytes long";
const keyed = new Keyring(readPepper(SECRET, "pepper"));
const rotated = new Keyring(
  readPepper(
    [
      { id: "k2024", secret: SECRET },
      { id: "k2023", secret: OLD_SECRET },
    ],
    "pepper",
  ),
);
const unkeyed = new Keyring([]);
const LONG = "a text of forty characters, or some more.";

const lengthPrefixed = (...parts: string[]) =>
  Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(Buffer.byteLength(part));
      return [length, Buffer.from(part)];
    }),
  );

const CHECK = createHmac("sha256", SECRET).update(lengthPrefixed("check")).digest("hex");

describe("what is hashed", () => {
  test("is the label and the parts, each with its length in front", () => {
    expect(Buffer.from(encodeParts("subject", "acme", "ग्राहक"))).toEqual(lengthPrefixed("subject", "acme", "ग्राहक"));
  });

  test("differs whenever the parts do, also where they run together to the same", () => {
    const part = fc.string({ maxLength: 6 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 3 }), fc.array(part, { maxLength: 3 }), (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        expect(toHex(encodeParts("subject", ...a))).not.toBe(toHex(encodeParts("subject", ...b)));
      }),
    );
    expect(toHex(encodeParts("subject", "a", "bc"))).not.toBe(toHex(encodeParts("subject", "ab", "c")));
  });
});

describe("a person's hash", () => {
  test("is HMAC-SHA-256 under the pepper", () => {
    const expected = createHmac("sha256", SECRET)
      .update(lengthPrefixed("subject", "acme", "customer:ramesh"))
      .digest("hex");

    expect(keyed.subject("acme", "customer:ramesh")).toEqual([{ hash: expected, keyId: "default", check: CHECK }]);
    expect(subjectHash({ tenantKey: "acme", subjectKey: "customer:ramesh", pepper: SECRET })).toBe(expected);
  });

  test("is SHA-256 without one, and says that no key made it", () => {
    const expected = createHash("sha256")
      .update(lengthPrefixed("subject", "acme", "customer:ramesh"))
      .digest("hex");

    expect(unkeyed.subject("acme", "customer:ramesh")).toEqual([{ hash: expected, keyId: null, check: null }]);
    expect(subjectHash({ tenantKey: "acme", subjectKey: "customer:ramesh" })).toBe(expected);
    expect([keyed.keyed, unkeyed.keyed]).toEqual([true, false]);
  });

  test("is written under the first key and known under all", () => {
    const [written, known] = rotated.subject("acme", "customer:ramesh");

    expect(written).toEqual({ hash: keyed.subject("acme", "customer:ramesh")[0].hash, keyId: "k2024", check: CHECK });
    expect(known).toEqual({
      hash: subjectHash({ tenantKey: "acme", subjectKey: "customer:ramesh", pepper: OLD_SECRET }),
      keyId: "k2023",
      check: createHmac("sha256", OLD_SECRET).update(lengthPrefixed("check")).digest("hex"),
    });
  });

  test("is another in another tenant", () => {
    expect(keyed.subject("a", "bc")[0].hash).not.toBe(keyed.subject("ab", "c")[0].hash);
  });
});

describe("the keys in use", () => {
  test("are named with a value that tells the right secret from a mistyped one, the written key first", () => {
    const mistyped = new Keyring(readPepper(`${SECRET} `, "pepper"));

    expect(keyed.keys).toEqual([{ keyId: "default", check: CHECK }]);
    expect(mistyped.keys[0]?.check).not.toBe(CHECK);
    expect(rotated.keys.map((key) => key.keyId)).toEqual(["k2024", "k2023"]);
    expect(unkeyed.keys).toEqual([{ keyId: null, check: null }]);
  });
});

describe("content tags", () => {
  test("are none without a pepper, because a plain hash confirms a guess", () => {
    expect(unkeyed.contentTags("acme", ["ramesh"], LONG)).toEqual([]);
  });

  test("are one for each person, and one more for a text of 40 characters", () => {
    const mac = (...parts: string[]) =>
      createHmac("sha256", SECRET)
        .update(lengthPrefixed(...parts))
        .digest("hex");

    expect(keyed.contentTags("acme", ["ramesh", "sita"], "short")).toEqual([
      mac("content-of", "acme", "ramesh", "short"),
      mac("content-of", "acme", "sita", "short"),
    ]);
    expect(keyed.contentTags("acme", ["ramesh"], LONG)).toEqual([
      mac("content-of", "acme", "ramesh", LONG),
      `any:${mac("content", "acme", LONG)}`,
    ]);
    expect(keyed.contentTags("acme", [], "x".repeat(39))).toEqual([]);
    expect(keyed.contentTags("acme", [], "x".repeat(40))).toHaveLength(1);
  });

  test("are made under every key, so that what was erased under an old one is known again", () => {
    const old = new Keyring(readPepper(OLD_SECRET, "pepper"));

    expect(rotated.contentTags("acme", ["ramesh"], LONG)).toEqual([
      ...keyed.contentTags("acme", ["ramesh"], LONG),
      ...old.contentTags("acme", ["ramesh"], LONG),
    ]);
  });
});

describe("term hashes", () => {
  test("are signed 64-bit integers, the same for the same term, tenant and key", () => {
    const [first, second] = keyed.termHasher("acme")(["खाता", "invoice"]);

    expect(keyed.termHasher("acme")(["invoice"])).toEqual([second]);
    expect(first).not.toBe(second);
    expect(BigInt.asIntN(64, first ?? 0n)).toBe(first);
    expect(keyed.termHasher("other")(["invoice"])).not.toEqual([second]);
    expect(unkeyed.termHasher("acme")(["invoice"])).not.toEqual([second]);
  });

  test("of a query are made under every key, the written one first", () => {
    const old = new Keyring(readPepper(OLD_SECRET, "pepper"));

    expect(rotated.queryTerms("acme", ["late", "bill"])).toEqual([
      [rotated.termHasher("acme")(["late"])[0], old.termHasher("acme")(["late"])[0]],
      [rotated.termHasher("acme")(["bill"])[0], old.termHasher("acme")(["bill"])[0]],
    ]);
  });
});

describe("hashes of one purpose", () => {
  test("are never those of another", () => {
    const hashes = [
      keyed.idempotencyHash("acme", "x"),
      keyed.requestHash("acme", "x"),
      keyed.requesterHash("acme", "x"),
      keyed.subject("acme", "x")[0].hash,
    ];

    expect(new Set(hashes).size).toBe(4);
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("a pepper", () => {
  test("may be bytes, which are copied", () => {
    const secret = new TextEncoder().encode(SECRET);
    const keyring = new Keyring(readPepper(secret, "pepper"));
    const before = keyring.subject("a", "b")[0].hash;
    secret.fill(0);

    expect(keyring.subject("a", "b")[0].hash).toBe(before);
    expect(before).toBe(keyed.subject("a", "b")[0].hash);
  });

  test.each([
    ["a number", 1, "subjectHashPepper"],
    ["null", null, "subjectHashPepper"],
    ["31 bytes", "x".repeat(31), "subjectHashPepper"],
    ["an ill-formed string", `\uD800${SECRET}`, "subjectHashPepper"],
    ["an empty list", [], "subjectHashPepper"],
    ["17 keys", Array.from({ length: 17 }, (_, i) => ({ id: `k${i}`, secret: SECRET })), "subjectHashPepper"],
    ["a list of secrets alone", [SECRET], "subjectHashPepper[0]"],
    ["a key without an id", [{ secret: SECRET }], "subjectHashPepper[0].id"],
    ["an id in capitals", [{ id: "K1", secret: SECRET }], "subjectHashPepper[0].id"],
    ["a key without a secret", [{ id: "k1" }], "subjectHashPepper[0].secret"],
    [
      "a short secret",
      [
        { id: "k1", secret: SECRET },
        { id: "k2", secret: "short" },
      ],
      "subjectHashPepper[1].secret",
    ],
    [
      "an id twice",
      [
        { id: "k1", secret: SECRET },
        { id: "k1", secret: OLD_SECRET },
      ],
      "subjectHashPepper",
    ],
  ])("is refused where it is %s, and the error does not show it", (_case, pepper, argument) => {
    const refused = expect.objectContaining({ code: "ERR_INVALID_INPUT", argument }) as Error;

    expect(() => readPepper(pepper, "subjectHashPepper")).toThrow(refused);
    expect(() => readPepper(pepper, "subjectHashPepper")).toThrow(/^(?!.*secret of at least)/);
  });

  test("of 32 bytes is enough, counted in bytes", () => {
    expect(readPepper("é".repeat(16), "pepper")[0].secret).toHaveLength(32);
  });

  test("cannot be seen in a keyring, by JSON or by inspection", () => {
    const shown = JSON.stringify(keyed) + inspect(keyed, { depth: 10, showHidden: true });

    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain("secret");
  });
});

describe("sha256Hex", () => {
  test("is SHA-256 of the UTF-8", () => {
    expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(sha256Hex("खाता\0")).toBe(createHash("sha256").update("खाता\0").digest("hex"));
  });

  test("refuses what has no UTF-8", () => {
    for (const text of ["\uD800", 1, undefined]) {
      expect(() => sha256Hex(text as string)).toThrow(expect.objectContaining({ code: "ERR_INVALID_INPUT" }));
    }
  });
});

describe("subjectHash", () => {
  test.each([
    [{ tenantKey: "", subjectKey: "a" }, "tenantKey"],
    [{ tenantKey: "a" }, "subjectKey"],
    [{ tenantKey: "a", subjectKey: "b", pepper: "short" }, "pepper"],
    [{ tenantKey: "a", subjectKey: "b", salt: "x" }, "input"],
  ])("refuses %j", (input, argument) => {
    expect(() => subjectHash(input as never)).toThrow(expect.objectContaining({ code: "ERR_INVALID_INPUT", argument }));
  });
});

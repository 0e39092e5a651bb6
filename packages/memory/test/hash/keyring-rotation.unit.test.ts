import { describe, expect, test } from "vitest";
import { Keyring } from "../../src/hash/keyring.js";
import { readPepper } from "../../src/hash/pepper.js";

const K1 = { id: "k1", secret: "a secret of at least thirty-two bytes" };
const K2 = { id: "k2", secret: "another secret of thirty-two bytes or more" };
const ring = (...keys: (typeof K1)[]) => new Keyring(keys.length === 0 ? [] : readPepper(keys, "pepper"));

describe("a key ring with the plain hash", () => {
  test("looks under it last, and writes under the first key still", () => {
    const wider = ring(K2, K1).withUnkeyed();

    expect(wider.subject("acme", "ramesh").map(({ keyId }) => keyId)).toEqual(["k2", "k1", null]);
    expect(wider.subject("acme", "ramesh").at(-1)?.hash).toBe(ring().subject("acme", "ramesh")[0].hash);
    expect(wider.keys.at(-1)).toEqual({ keyId: null, check: null });
    expect(wider.keyed).toBe(true);
    expect(wider.requestHash("acme", "r")).toBe(ring(K2, K1).requestHash("acme", "r"));
    expect(wider.queryTerms("acme", ["tea"])[0]).toHaveLength(3);
  });

  test("makes no plain hash of a text", () => {
    expect(ring(K1).withUnkeyed().contentTags("acme", ["ramesh"], "yes")).toEqual(
      ring(K1).contentTags("acme", ["ramesh"], "yes"),
    );
  });

  test("is the same ring where it has that hash already", () => {
    const plain = ring();
    const wider = ring(K1).withUnkeyed();

    expect(plain.withUnkeyed()).toBe(plain);
    expect(wider.withUnkeyed()).toBe(wider);
  });
});

describe("a person's hash under one key", () => {
  test("is that of the ring, of no key is the plain one, and of a key it lacks there is none", () => {
    const keys = ring(K2, K1);
    const [under2, under1] = keys.subject("acme", "ramesh");

    expect(keys.subjectUnder("k2", "acme", "ramesh")).toBe(under2.hash);
    expect(keys.subjectUnder("k1", "acme", "ramesh")).toBe(under1?.hash);
    expect(keys.subjectUnder(null, "acme", "ramesh")).toBe(ring().subject("acme", "ramesh")[0].hash);
    expect(ring(K1).subjectUnder("k2", "acme", "ramesh")).toBeNull();
    expect(ring().subjectUnder("k1", "acme", "ramesh")).toBeNull();
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalId } from "../../src/domain/input/ids.js";
import { createUuidV7Source } from "../../src/domain/uuid-v7.js";
import { newId } from "../../src/use-cases/new-id.js";

const filledWith = (byte: number) => (bytes: Uint8Array) => void bytes.fill(byte);

describe("a time-ordered id", () => {
  test("has the milliseconds, the version, the variant and the random bits where RFC 9562 puts them", () => {
    // The example of RFC 9562, A.6: 22 February 2022, 14:22:22 in New York.
    const next = createUuidV7Source(() => 0x017f22e279b0, filledWith(0xff));

    expect(next()).toBe("017f22e2-79b0-77ff-bfff-ffffffffffff");
  });

  test("counts on within a millisecond", () => {
    const next = createUuidV7Source(() => 1, filledWith(0));

    expect([next(), next(), next()]).toEqual([
      "00000000-0001-7000-8000-000000000000",
      "00000000-0001-7001-8000-000000000000",
      "00000000-0001-7002-8000-000000000000",
    ]);
  });

  test("always sorts after the one before it, however often the clock stops or goes back", () => {
    const clock = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 50, size: "max" });
    fc.assert(
      fc.property(clock, fc.nat(255), (times, random) => {
        let now = 0;
        const next = createUuidV7Source(() => now, filledWith(random));

        const ids = times.flatMap((time) => {
          now = time;
          return Array.from({ length: 100 }, next);
        });

        expect(new Set(ids).size).toBe(ids.length);
        expect([...ids].sort()).toEqual(ids);
      }),
      { numRuns: 20 },
    );
  });

  test("runs a millisecond ahead once its counter is used up, and falls in step again", () => {
    let now = 1000;
    const next = createUuidV7Source(() => now, filledWith(0));
    const ids = Array.from({ length: 5000 }, next);

    expect(new Set(ids).size).toBe(5000);
    expect([...ids].sort()).toEqual(ids);
    expect(ids.at(-1)?.startsWith("00000000-03e9-7")).toBe(true);

    now = 1005;
    expect(next().startsWith("00000000-03ed-7")).toBe(true);
  });

  test("of this process is canonical, of version 7, and never the same", () => {
    const ids = Array.from({ length: 3000 }, newId);

    expect(new Set(ids).size).toBe(3000);
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids) expect([canonicalId(id), id[14], "89ab".includes(id[19] ?? "")]).toEqual([id, "7", true]);
  });
});

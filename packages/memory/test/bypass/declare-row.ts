import { expect, test } from "vitest";
import { describeNative } from "../sqlreal/databases.js";
import { verdictOf } from "./bypass.js";
import type { Bypass } from "./bypass.js";

/** The test of one row, in a database of its own: its title says what is attempted and what must come of it. */
export function declareRow({ row, attempt, as, must, by, run }: Bypass, timeout?: number): void {
  describeNative(`bypass ${row}`, (given) => {
    test(
      `${attempt}, by ${as.join(", ")}: ${must}, by ${by.join(", ")}`,
      async () => {
        const observations = await run(given);

        expect(verdictOf(observations), JSON.stringify(observations)).toBe(must);
        expect([...new Set(observations.map((seen) => seen.by))].sort()).toEqual([...by].sort());
      },
      timeout,
    );
  });
}

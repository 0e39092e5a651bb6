import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LEVELS, PAIRS, Race } from "./faults/race.js";
import { LONG, SEED } from "./faults/sample.js";
import { describeNative } from "./sqlreal/databases.js";

const SCHEDULES = LONG ? 1000 : 25;

describeNative("two connections, in every order that a seed picks:", (given) => {
  const clients: pg.Client[] = [];
  beforeAll(async () => {
    clients.push(await given.connect("app"), await given.connect("app"));
    // The job of the host that goes round the library.
    await given.sql(`grant insert, select on demystify_memory.derived, demystify_memory.memory to ${given.appRole}`);
  });
  afterAll(() => Promise.all(clients.map((client) => client.end())));

  test.each(PAIRS.flatMap((pair) => LEVELS.map((level) => ({ pair, level }))))(
    "$pair at $level leaves no survivor, no copy that nobody waits for, and no deadlock",
    { timeout: LONG ? 1_800_000 : 60_000 },
    async ({ pair, level }) => {
      const outcomes = new Map<string, number>();

      for (let seed = SEED; seed < SEED + SCHEDULES; seed++) {
        const race = new Race({
          seed,
          pair,
          level,
          sql: given.sql,
          clients: [clients[0]!, clients[1]!],
          tenantKey: given.freshTenant(),
        });
        await race.run();
        await race.finish();

        expect({ seed, survivors: await race.survivors() }).toEqual({ seed, survivors: [] });
        expect({ seed, unexpected: race.unexpected() }).toEqual({ seed, unexpected: [] });
        expect({ seed, ...(await race.certified()) }).toEqual({ seed, ...race.stored });
        for (const outcome of race.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }

      // The library answers a deadlock by asking again: only the server knows that there was none.
      for (const client of clients) await client.query("select pg_stat_force_next_flush()");
      expect(
        await given.sql("select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()"),
      ).toEqual([{ deadlocks: 0 }]);
      // Schedules that all end alike prove nothing: the writer came first in some of them, and too late in others.
      expect(outcomes.get("writer: stored") ?? outcomes.get("eraser 2: complete")).toBeGreaterThan(0);
      expect(outcomes.get("eraser: complete")).toBeGreaterThan(0);
      if (pair === "derive/forget" || pair === "placement/forget") {
        expect([...outcomes.keys()]).toEqual(
          expect.arrayContaining([expect.stringMatching(/^writer: (?:ME003|40001)$/)]),
        );
      }
    },
  );
});

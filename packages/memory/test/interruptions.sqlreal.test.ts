import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { Memory } from "../src/index.js";
import { describeEachDatabase, type GivenDatabase } from "./sqlreal/databases.js";
import { installStops, statementsSince, stopAt } from "./sqlreal/statement-stops.js";
import { aCanary } from "./support/canary.js";
import { OPERATIONS, visibleState, type Operation } from "./support/operations.js";

// A sweep runs verify_install(), which rightly reports the triggers that make the fault.
const TRIED = OPERATIONS.filter(({ name }) => name !== "reconcile with repair");

describeEachDatabase("a statement inside the database that fails, whichever it is,", (given) => {
  beforeAll(() => installStops(given.sql));

  test.each(TRIED)(
    "leaves what another process brings to the same end: $name",
    { timeout: 240_000 },
    async (operation) => {
      const memory = given.memory(operation.options);
      const whole = await attempt(given, memory, operation, 0);
      expect(whole.statements).toBeGreaterThan(0);

      const canaries = [whole.canary];
      for (let statement = 1; statement <= whole.statements; statement++) {
        const interrupted = await attempt(given, memory, operation, statement);
        expect({ statement, state: interrupted.state }).toEqual({ statement, state: whole.state });
        canaries.push(interrupted.canary);
      }

      if (operation.erases === true) await given.expectNowhere(...canaries);
    },
  );
});

async function attempt(given: GivenDatabase, memory: Memory, { prepare }: Operation, statement: number) {
  const tenantKey = `tenant-${randomUUID()}`;
  const canary = aCanary();
  const { run, recover = run } = await prepare({ memory, tenantKey, canary });

  await stopAt(given.sql, statement);
  const outcome = await run(memory).catch((error: unknown) => error);
  const statements = await statementsSince(given.sql);
  await stopAt(given.sql, 0);
  // The fault comes as it is, with no word of the row it struck at; a batch answers it row by row.
  if (statement > 0) expect(JSON.stringify(outcome)).toContain("ERR_STORE");

  await recover(memory);
  return { statements, canary, state: await visibleState(memory, tenantKey) };
}

import { randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Memory, PgMemoryStore } from "../../src/index.js";
import { aCanary } from "../support/canary.js";
import { FaultProxy, LOSSES, type Loss } from "../support/fault-proxy.js";
import { FaultServer } from "../support/fault-server.js";
import { legTitle, requestedLegs } from "../support/legs.js";
import { OPERATIONS, visibleState, type Operation } from "../support/operations.js";
import { ledgerOf } from "./ledger.js";
import { expectRetryable } from "./outcome.js";
import { LONG, sampleOf } from "./sample.js";

// In npm test the reply of each operation that erases; the request that never arrives is the milder of the two.
const TRIED = LOSSES.flatMap((loss) =>
  OPERATIONS.map((operation) => ({ loss, operation, name: operation.name })),
).filter(({ loss, operation }) => LONG || (loss === "the reply" && operation.erases === true));

if (requestedLegs().includes("postgres")) {
  describe(legTitle("a connection that is lost around a COMMIT", "postgres"), () => {
    let server: FaultServer;
    let proxy: FaultProxy;
    beforeAll(async () => {
      server = await FaultServer.start();
      proxy = await FaultProxy.start(() => server.cluster.port);
    });
    afterAll(async () => {
      await server.closePools();
      await proxy.close();
      await server.remove();
    });

    test.each(TRIED)(
      "with $loss leaves an outcome unknown to the caller, and asking again comes to the same end: $name",
      { timeout: 120_000 },
      async ({ loss, operation }) => {
        const whole = await attempt(operation, 0, loss);
        expect(whole.requests).toBeGreaterThan(0);

        const canaries = [whole.canary];
        const requests = Array.from({ length: whole.requests }, (_, index) => index + 1);
        for (const request of sampleOf(requests, LONG ? requests.length : 2)) {
          const { lost, canary, state } = await attempt(operation, request, loss);
          expect({ request, lost, state }).toEqual({ request, lost: true, state: whole.state });
          canaries.push(canary);
        }

        if (operation.erases === true) expect(await server.literalsLeft(canaries)).toEqual([]);
      },
    );

    const attempt = async ({ options = {}, prepare }: Operation, request: number, loss: Loss) => {
      const tenantKey = `tenant-${randomUUID()}`;
      const canary = aCanary();
      const pool = server.appPool({ connectionString: proxy.through(server.appUrl()), max: 1 });
      const memory = onPool(pool, options);
      const { run, recover = run } = await prepare({ memory, tenantKey, canary });
      const before = await ledgerOf(server.sql, tenantKey);

      proxy.arm(request, loss);
      const outcome: unknown = await run(memory).catch((error: unknown) => error);
      const { requests, lost } = proxy;
      proxy.arm(0);
      expectRetryable(outcome);

      const after = await ledgerOf(server.sql, tenantKey);
      expect(after).toMatchObject({ falselyComplete: [], destroyedButLive: [] });
      expect(after.memories).toBeGreaterThanOrEqual(before.memories);
      expect(after.derived).toBeGreaterThanOrEqual(before.derived);
      await recover(memory);
      const state = await visibleState(memory, tenantKey);
      await pool.end();
      return { requests, lost, canary, state };
    };
  });
}

function onPool(pool: pg.Pool, options: Operation["options"]): Memory {
  return new Memory({ ...options, store: new PgMemoryStore(pool) });
}

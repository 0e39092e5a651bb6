import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDS, FaultServer } from "../support/fault-server.js";
import { installPauses } from "../support/fault-pauses.js";
import { legTitle, requestedLegs } from "../support/legs.js";
import { OPERATIONS } from "../support/operations.js";
import { attempt } from "./attempt.js";
import { LONG, sampleOf } from "./sample.js";

// In npm test: the operation that has every step, open, destroy, confirm and complete, and one with chunks. Else all.
const EVERY_STEP = "forget where a copy is outstanding, and its confirmation";
const TRIED = OPERATIONS.filter(({ name }) =>
  LONG ? name !== "reconcile with repair" : [EVERY_STEP, "forget of a person"].includes(name),
);

if (requestedLegs().includes("postgres")) {
  describe(legTitle("a server that ends at a writing statement, whichever it is,", "postgres"), () => {
    let server: FaultServer;
    beforeAll(async () => {
      server = await FaultServer.start({ settings: { synchronous_commit: "off", wal_writer_delay: "10s" } });
      await installPauses(server.sql);
    });
    afterAll(() => server.remove());

    test.each(TRIED)(
      "loses nothing, certifies nothing too early, and the next process comes to the same end: $name",
      { timeout: LONG ? 1_200_000 : 120_000 },
      async (operation) => {
        const whole = await attempt(server, operation, 0);
        expect(whole.statements).toBeGreaterThan(0);
        const canaries = [whole.canary];
        const statements = Array.from({ length: whole.statements }, (_, index) => index + 1);

        for (const statement of sampleOf(statements, 6)) {
          for (const how of LONG ? ENDS : [ENDS[statement % 2]!]) {
            const strike = async () => {
              await server.end(how);
              await server.start();
            };
            const struck = await attempt(server, operation, statement, { strike });
            expect({ statement, how, struck: struck.struck, state: struck.state }).toEqual({
              statement,
              how,
              struck: true,
              state: whole.state,
            });
            canaries.push(struck.canary);
          }
        }

        if (operation.erases === true) expect(await server.literalsLeft(canaries)).toEqual([]);
      },
    );
  });
}

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aMemory } from "../support/builders.js";
import { aCanary } from "../support/canary.js";
import { FaultServer } from "../support/fault-server.js";
import { installPauses } from "../support/fault-pauses.js";
import { legTitle, requestedLegs } from "../support/legs.js";
import { OPERATIONS } from "../support/operations.js";
import { attempt } from "./attempt.js";
import { expectRetryable } from "./outcome.js";
import { LONG, sampleOf } from "./sample.js";

// A sweep runs verify_install(), which rightly reports the triggers that make the fault.
const TRIED = OPERATIONS.filter(({ name }) => name !== "reconcile with repair");
const SUBJECT = "customer:ramesh";
const EVERY_STEP = ["forget of a person", "forget where a copy is outstanding, and its confirmation"];

if (requestedLegs().includes("postgres")) {
  describe(legTitle("a statement timeout at a writing statement, whichever it is,", "postgres"), () => {
    let server: FaultServer;
    beforeAll(async () => {
      server = await FaultServer.start();
      await installPauses(server.sql);
    });
    afterAll(() => server.remove());

    test.each(TRIED.filter(({ name }) => LONG || EVERY_STEP.includes(name)))(
      "is answered as retryable, and trying again comes to the same end: $name",
      { timeout: LONG ? 600_000 : 120_000 },
      async (operation) => {
        const whole = await attempt(server, operation, 0);
        const canaries = [whole.canary];
        const statements = Array.from({ length: whole.statements }, (_, index) => index + 1);
        const impatient = server.memory(operation.options, { options: "-c statement_timeout=300ms" });

        for (const statement of sampleOf(statements, 4)) {
          // Nothing else strikes: the statement waits, until its own time is over.
          const stopped = await attempt(server, operation, statement, {
            memory: impatient,
            strike: () => Promise.resolve(),
          });
          expect({ statement, struck: stopped.struck, state: stopped.state }).toEqual({
            statement,
            struck: true,
            state: whole.state,
          });
          expectRetryable(stopped.outcome, "57014");
          canaries.push(stopped.canary);
        }

        if (operation.erases === true) expect(await server.literalsLeft(canaries)).toEqual([]);
      },
    );

    test("that strikes again and again is answered in the end as retryable, with nothing opened and nothing destroyed", async () => {
      const tenantKey = `tenant-${randomUUID()}`;
      const canary = aCanary();
      const patient = server.memory();
      await patient.remember(aMemory({ tenantKey, text: canary }));
      const impatient = server.memory({}, { options: "-c statement_timeout=50ms" });
      await server.connected(async (holder) => {
        await holder.query("begin");
        await holder.query("select from demystify_memory.subject where tenant_key = $1 for update", [tenantKey]);

        const outcome: unknown = await impatient
          .forget({ tenantKey, subjectKey: SUBJECT })
          .catch((error: unknown) => error);

        expect(outcome).toMatchObject({ code: "ERR_STORE", retryable: true, cause: { code: "57014" } });
        expect((await patient.erasures.list({ tenantKey })).receipts).toEqual([]);
        expect((await patient.listMemories({ tenantKey })).rows).toMatchObject([{ text: canary }]);
        await holder.query("rollback");
      });
      expect(await patient.forget({ tenantKey, subjectKey: SUBJECT })).toMatchObject({ state: "complete" });
      expect(await server.literalsLeft([canary])).toEqual([]);
    });
  });
}

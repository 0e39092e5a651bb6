import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, type TestContext } from "vitest";
import type { Memory } from "../../src/index.js";
import { aMemory, aSummaryOf } from "../support/builders.js";
import { aCanary } from "../support/canary.js";
import { aCopyOf, forgetIncompletely, refOf } from "../support/copies.js";
import { mountSmallDisk, type SmallDisk } from "../support/fault-disk.js";
import { FaultServer } from "../support/fault-server.js";
import { legTitle, requestedLegs } from "../support/legs.js";
import { ledgerOf } from "./ledger.js";
import { expectRetryable } from "./outcome.js";

const SUBJECT = "customer:ramesh";
const DISK_MEGABYTES = 4;
// Each row of evidence takes some bytes of its page: so many refused attempts are enough to come to its end.
const PATIENCE = 2000;

if (requestedLegs().includes("postgres")) {
  describe(legTitle("a disk that is full under", "postgres"), () => {
    let server: FaultServer;
    let disk: SmallDisk | { readonly unavailable: string };
    beforeAll(async () => {
      server = await FaultServer.start();
      disk = mountSmallDisk(join(server.cluster.root, "small"), DISK_MEGABYTES);
    });
    afterAll(async () => {
      await server.cluster.stop();
      if ("unmount" in disk) disk.unmount();
      await server.remove();
    });

    const smallDisk = (context: TestContext): SmallDisk => {
      if ("fill" in disk) return disk;
      if (process.env["CI"] === "true") throw new Error(disk.unavailable);
      console.warn(`NOT RUN: ${disk.unavailable}`);
      return context.skip(disk.unavailable);
    };

    test.for(["tombstone", "tombstone_item", "erasure_event"])(
      "the table %s refuses the step that would write it; nothing is destroyed without its evidence, and it is finished once there is room",
      async (table, context) => {
        const small = smallDisk(context);
        const tenantKey = `tenant-${randomUUID()}`;
        const canary = aCanary();
        const memory = server.memory();
        const source = await memory.remember(aMemory({ tenantKey, text: canary }));
        const summary = await memory.derive({ ...aSummaryOf(source), text: canary });
        const { placement } = await memory.recordPlacement({ ...aCopyOf(summary), ref: canary });
        await onSmallDisk(small, table);

        small.fill();
        const refused = await forgetUntilRefused(memory, tenantKey);
        const { destroyedButLive, falselyComplete, ...rows } = await ledgerOf(server.sql, tenantKey);
        small.free();

        expectRetryable(refused, "53100");
        expect(refused).toBeInstanceOf(Error);
        expect({ destroyedButLive, falselyComplete }).toEqual({ destroyedButLive: [], falselyComplete: [] });
        expect(rows).toMatchObject({ memories: 1, derived: 1, live: 2 });
        const receipt = await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT });
        expect(receipt).toMatchObject({ counts: { memories: 1, derived: 1 }, outstanding: [{ sink: "vector-index" }] });
        const { placementId } = placement;
        expect(
          await memory.erasures.confirm({ ...refOf(receipt), placementId, proof: "unfindable", by: "worker" }),
        ).toMatchObject({ state: "complete" });
        expect(await server.literalsLeft([canary])).toEqual([]);
        await backOnTheOther(table);
      },
    );

    const onSmallDisk = async (small: SmallDisk, table: string) => {
      await server.sql(`create tablespace small location '${small.tablespace}'`);
      await server.sql(`alter table demystify_memory.${table} set tablespace small`);
    };
    const backOnTheOther = async (table: string) => {
      await server.sql(`alter table demystify_memory.${table} set tablespace pg_default`);
      await server.sql("drop tablespace small");
    };

    /**
     * A page that is there already still takes rows when the disk is full: other people's evidence fills it up, until the
     * next row needs a new page. Answers what the erasure of our person was told then.
     */
    const forgetUntilRefused = async (memory: Memory, tenantKey: string): Promise<unknown> => {
      for (let attempts = 0; attempts < PATIENCE; attempts++) {
        const filler = await forgetSomebody(memory);
        if (filler instanceof Error) return memory.forget({ tenantKey, subjectKey: SUBJECT }).catch((e: unknown) => e);
      }
      throw new Error("the disk never was full");
    };

    const forgetSomebody = async (memory: Memory): Promise<unknown> => {
      const tenantKey = `filler-${randomUUID()}`;
      const person = aMemory({ tenantKey });
      await memory.remember(person);
      return memory.forget({ tenantKey, subjectKey: person.subjectKey }).catch((error: unknown) => error);
    };
  });
}

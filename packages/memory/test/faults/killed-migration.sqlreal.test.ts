import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type pg from "pg";
import { migrate, plan, verifyInstall } from "../../src/index.js";
import { aMemory } from "../support/builders.js";
import { aCanary } from "../support/canary.js";
import { ENDS, FaultServer } from "../support/fault-server.js";
import { legTitle, requestedLegs } from "../support/legs.js";
import { LONG, sampleOf } from "./sample.js";

const LOCK = 4712;
const PATIENCE_MS = 30_000;

if (requestedLegs().includes("postgres")) {
  describe(legTitle("a server that ends during the migration", "postgres"), () => {
    let server: FaultServer;
    let commands: number;
    beforeAll(async () => {
      server = await FaultServer.start({ migrated: false });
      await pauseAtCommands();
      commands = await countCommands();
    });
    afterAll(() => server.remove());

    test(
      "leaves nothing of it, whichever command it ends at, and migrating again installs all of it",
      { timeout: LONG ? 900_000 : 120_000 },
      async () => {
        expect(commands).toBeGreaterThan(100);
        const all = Array.from({ length: commands }, (_, index) => index + 1);

        for (const command of sampleOf(everyNth(all, LONG ? 10 : 1), 3)) {
          for (const how of LONG ? ENDS : [ENDS[command % 2]!]) {
            await holdAt(command, async () => {
              await server.end(how);
              await server.start();
            });
            const [left] = await server.sql(
              `select (select count(*)::int from pg_namespace where nspname = 'demystify_memory') as schemas,
                    (select count(*)::int from pg_roles where rolname like 'demystify_memory%') as roles`,
            );
            expect({ command, how, ...left }).toEqual({ command, how, schemas: 0, roles: 0 });
          }
        }

        await server.connected(async (client) => {
          await disarm(client);
          expect((await migrate(client)).applied).toEqual([1]);
          expect((await plan(client)).pending).toEqual([]);
        });
        await server.sql("drop event trigger pause_at_commands");
        await server.sql("drop schema faults cascade");
        await server.connected(async (client) => {
          expect((await verifyInstall(client)).filter(({ ok }) => !ok)).toEqual([]);
        });
        await server.grant();
        const canary = aCanary();
        const memory = server.memory();
        await memory.remember(aMemory({ tenantKey: "after", text: canary }));
        expect(await memory.forget({ tenantKey: "after", subjectKey: "customer:ramesh" })).toMatchObject({
          state: "complete",
          counts: { memories: 1 },
        });
        expect(await server.literalsLeft([canary])).toEqual([]);
      },
    );

    const disarm = (client: pg.Client) => client.query("update faults.pause_at set command = 0");

    /** Every command of a migration is counted, and the nth waits for a lock. */
    const pauseAtCommands = async () => {
      for (const statement of [
        "create schema faults",
        "create sequence faults.command",
        "create table faults.pause_at (command bigint)",
        "insert into faults.pause_at values (0)",
        `create function faults.wait() returns event_trigger language plpgsql security definer as $$
         begin
           if nextval('faults.command') = (select command from faults.pause_at) then
             perform pg_advisory_xact_lock(${LOCK});
           end if;
         end $$`,
        "create event trigger pause_at_commands on ddl_command_start execute function faults.wait()",
      ]) {
        await server.sql(statement);
      }
    };

    const countCommands = async () => {
      await server.connected(async (client) => {
        await client.query("select setval('faults.command', 1, false)");
        // Undone at its end, so that nothing of it stays.
        const { sql } = await plan(client);
        await client.query(sql.replace(/\bcommit;\s*$/, "rollback;"));
      });
      const [row] = await server.sql("select last_value::int as count from faults.command");
      return Number(row?.["count"]);
    };

    const holdAt = async (command: number, strike: () => Promise<unknown>) => {
      await server.connected(async (holder) => {
        await holder.query("update faults.pause_at set command = $1", [command]);
        await holder.query("select setval('faults.command', 1, false)");
        await holder.query("select pg_advisory_lock($1)", [LOCK]);
        await server.connected(async (client) => {
          const migrating = migrate(client).then(
            () => "migrated",
            () => "ended",
          );
          const deadline = Date.now() + PATIENCE_MS;
          for (;;) {
            const { rowCount } = await holder.query(
              "select from pg_locks where locktype = 'advisory' and objid = $1::int and not granted",
              [LOCK],
            );
            if (rowCount === 1) break;
            if (Date.now() > deadline) throw new Error(`the migration never came to its command ${command}`);
            await pause(5);
          }
          await strike();
          expect(await migrating).toBe("ended");
        });
      });
    };
  });
}

function everyNth<Item>(items: readonly Item[], n: number): readonly Item[] {
  return items.filter((_, index) => index % n === 0 || index === items.length - 1);
}

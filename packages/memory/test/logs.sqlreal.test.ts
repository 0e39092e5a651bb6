import { randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Memory, PgMemoryStore } from "../src/index.js";
import type { Queryable } from "../src/index.js";
import { sampleOf } from "./faults/sample.js";
import { insertDerived } from "./sqlreal/rows.js";
import { sqlOf } from "./sqlreal/databases.js";
import { outcomeOf } from "./sqlreal/sessions.js";
import { aCanary } from "./support/canary.js";
import { useEverything } from "./support/fault-canaries.js";
import { entriesOf, entriesWithCanary, statementStatistics, TALKATIVE } from "./support/fault-log.js";
import { FaultServer } from "./support/fault-server.js";
import { legTitle, requestedLegs } from "./support/legs.js";
import { OPERATIONS } from "./support/operations.js";

const PEPPER = { subjectHashPepper: "a secret of at least thirty-two bytes" };
const HEX_OR_ID = /[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-/;

if (requestedLegs().includes("postgres")) {
  describe(legTitle("a server that logs every statement, but no parameters,", "postgres"), () => {
    const statistics = statementStatistics();
    let server: FaultServer;
    beforeAll(async () => {
      server = await FaultServer.start({ settings: { ...TALKATIVE, ...statistics } });
      if (statistics !== undefined) await server.sql("create extension pg_stat_statements");
      else if (process.env["CI"] === "true") throw new Error("this server comes without pg_stat_statements");
      else console.warn("NOT RUN: pg_stat_statements, which this server does not come with");
    });
    afterAll(() => server.remove());

    const run = async (memory: (options: object) => Memory, operations = OPERATIONS) => {
      await useEverything(memory(PEPPER), `tenant-${aCanary()}`);
      for (const { options = {}, prepare } of operations) {
        const own = memory(options);
        const { run: operate } = await prepare({ memory: own, tenantKey: `tenant-${randomUUID()}`, canary: aCanary() });
        await operate(own);
      }
    };

    test("logs nothing that a person said, is called, or is kept under, whatever the library does", async () => {
      const before = server.cluster.log().length;

      await run((options) => server.memory(options));

      const log = server.cluster.log().slice(before);
      expect(entriesOf(log).filter(({ role }) => role === "fault_app").length).toBeGreaterThan(200);
      expect(entriesWithCanary(log)).toEqual([]);
      expect(await inStatistics()).toEqual([]);
    });

    test("is sent the same texts whatever the data: a literal is never put into a statement", async () => {
      const texts = [new Set<string>(), new Set<string>()] as const;

      for (const sent of texts) {
        const pool = server.appPool();
        await run(
          (options) => new Memory({ ...options, store: new PgMemoryStore(recorded(pool, sent)) }),
          sampleOf(OPERATIONS, 8),
        );
      }

      expect([...texts[0]].sort()).toEqual([...texts[1]].sort());
      expect(texts[0].size).toBeGreaterThan(20);
      expect([...texts[0]].filter((text) => HEX_OR_ID.test(text) || text.includes("canary"))).toEqual([]);
    });

    test.each(["a constraint", "the gate", "a statement timeout", "a right that is missing"])(
      "logs nothing of a row that %s refuses the application",
      async (why) => {
        const before = server.cluster.log().length;
        const sqlstate = await server.connected((client) => refusedBy(why, client), "app");

        expect(sqlstate).toMatch(/^[0-9A-Z]{5}$/);
        const log = server.cluster.log().slice(before);
        expect(entriesOf(log).some(({ label }) => label === "ERROR")).toBe(true);
        expect(entriesWithCanary(log)).toEqual([]);
      },
    );

    test("is never asked to parse a value that it would refuse, and quote: the library checks before it sends", async () => {
      const before = server.cluster.log().length;
      const memory = server.memory(PEPPER);
      const tenantKey = `tenant-${randomUUID()}`;
      const subjectKey = "customer:ramesh";
      const odd = ["\u0000", "\ud800", "\udc00x", "\\u0000", "{", '"', "\\", "'", "\n"].map(
        (sign) => `${aCanary()}${sign}`,
      );

      for (const text of odd) {
        for (const call of [
          () => memory.remember({ tenantKey, subjectKey, text }),
          () => memory.remember({ tenantKey, subjectKey: text, text: "said" }),
          () => memory.remember({ tenantKey, subjectKey, text: "said", metadata: { note: text } }),
          () => memory.remember({ tenantKey, subjectKey, text: "said", metadata: { [text]: [text] } }),
          () => memory.remember({ tenantKey, subjectKey, text: "said", idempotencyKey: text }),
          () => memory.recall({ tenantKey, text, metadata: { note: text } }),
          () => memory.getMemory(tenantKey, text),
          () => memory.forget({ tenantKey, memoryIds: [text] }),
          () => memory.forget({ tenantKey, subjectKey: text, requestId: text }),
        ]) {
          const outcome: unknown = await call().catch((error: unknown) => error);
          if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "ERR_INVALID_INPUT" });
        }
      }

      const log = server.cluster.log().slice(before);
      expect(entriesOf(log).filter(({ label }) => label === "ERROR")).toEqual([]);
      expect(entriesWithCanary(log)).toEqual([]);
    });

    test("of a superuser, whom row-level security does not hold, quotes the refused row in DETAIL, unless it is terse", async () => {
      const tried = async (verbosity: string) => {
        const before = server.cluster.log().length;
        await server.connected(async (client) => {
          await client.query(`set log_error_verbosity = ${verbosity}`);
          const derived = { tenantKey: "t", text: aCanary() };
          expect(await outcomeOf(insertDerived(sqlOf(client), derived))).toBe("23514");
        });
        return entriesWithCanary(server.cluster.log().slice(before)).map(({ label }) => label);
      };

      expect(await tried("default")).toEqual(["DETAIL"]);
      expect(await tried("terse")).toEqual([]);
    });

    const inStatistics = async () => {
      if (statistics === undefined) return [];
      const rows = await server.sql(
        "select count(*)::int as calls from pg_stat_statements where query like '%demystify%'",
      );
      expect(Number(rows[0]?.["calls"])).toBeGreaterThan(20);
      return server.sql("select query from pg_stat_statements where query ~ 'canary[a-z]{16}'");
    };

    /** The application's own SQL, with the rights a host may have given it. */
    const refusedBy = async (why: string, client: pg.Client): Promise<string | undefined> => {
      const tenantKey = `tenant-${randomUUID()}`;
      const text = aCanary();
      await server.sql("grant insert, select on demystify_memory.memory, demystify_memory.derived to fault_app");
      await client.query("select set_config('app.current_tenant', $1, false)", [tenantKey]);
      switch (why) {
        case "a constraint":
          return outcomeOf(insertDerived(sqlOf(client), { tenantKey, text }));
        case "the gate":
          return outcomeOf(insertDerived(sqlOf(client), { tenantKey, text, memories: [randomUUID()] }));
        case "a statement timeout":
          await client.query("set statement_timeout = '20ms'");
          return outcomeOf(client.query("select pg_sleep(5), $1::text", [text]));
        default:
          return outcomeOf(client.query("update demystify_memory.memory set text = $1", [text]));
      }
    };
  });
}

function recorded(pool: pg.Pool, texts: Set<string>): Queryable {
  return {
    query: async (text: string, params?: unknown[]) => {
      texts.add(text);
      return pool.query(text, params);
    },
  };
}

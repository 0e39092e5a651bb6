import { randomBytes } from "node:crypto";
import { grantsSql } from "@demystify/memory";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type {} from "../../memory/test/support/global-setup.js";
import { runCli } from "./support/cli.js";

// The server that the suites of the core run on, as a superuser.
const server = inject("postgresServer");
const MINUTES = 60_000;

if (server !== null) {
  describe("the demo on a Postgres server", () => {
    const database = `memory_cli_${randomBytes(6).toString("hex")}`;
    const url = new URL(server.adminUrl);
    url.pathname = `/${database}`;
    const admin = new pg.Pool({ connectionString: server.adminUrl, max: 1 });
    beforeAll(() => admin.query(`create database ${database}`));
    afterAll(async () => {
      await admin.query(`drop database if exists ${database} with (force)`);
      await admin.end();
    });

    test(
      "proves the erasure there, twice over, and prints neither user nor password",
      async () => {
        const env = { DATABASE_URL: url.href };
        for (const person of ["customer:ramesh-iyer", "customer:mohan-lal"]) {
          const run = await runCli(["demo", "--json", "--yes", "--forget"], { env, input: person });

          expect(run.code).toBe(0);
          expect(JSON.parse(run.stdout)).toMatchObject({
            ok: true,
            database: { kind: "server", label: `${url.host}/${database}` },
            receipt: { state: "complete" },
            proof: { passed: true },
          });
        }
      },
      2 * MINUTES,
    );

    test(
      "stores nothing where the role may not read every table, and says so",
      async () => {
        const owner = new pg.Pool({ connectionString: url.href, max: 1 });
        await owner.query(grantsSql({ appRole: server.appRole }));
        await owner.end();
        const asApp = new URL(url);
        asApp.username = server.appRole;
        asApp.password = server.appPassword;
        const run = await runCli(["demo", "--yes"], { env: { DATABASE_URL: asApp.href } });

        expect(run.code).toBe(1);
        expect(run.stderr).toContain("may not read");
        expect(run.stderr).toContain("No message was stored.");
        expect(run.stdout).toBe("");
      },
      MINUTES,
    );
  });
}

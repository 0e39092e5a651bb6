import { readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { grantsSql } from "../src/index.js";
import { refusalOf } from "./sqlreal/refusals.js";
import { insertLineage } from "./sqlreal/rows.js";
import { sqlOf } from "./sqlreal/databases.js";
import { legTitle, requestedLegs } from "./support/legs.js";
import { startCluster } from "./support/native-postgres.js";
import type { Cluster } from "./support/native-postgres.js";
import type { Sql } from "./support/sql.js";

const MIGRATION = readFileSync(new URL("../migrations/0001_memory.sql", import.meta.url), "utf8");
const ENGINE = "demystify_memory_engine";
const WEB_ROLES = ["anon", "authenticated"];

// As on hosts that put a web gateway before the database: what the owner makes is open to whoever calls the gateway.
const OPEN_DEFAULTS = (where: string) =>
  ["tables", "functions", "sequences"]
    .map(
      (what) => `alter default privileges for role memory_owner ${where} grant all on ${what} to anon, authenticated`,
    )
    .join("; ");
const IN_PUBLIC = OPEN_DEFAULTS("in schema public");
const EVERYWHERE = `${OPEN_DEFAULTS("")}; alter default privileges for role memory_owner grant all on schemas to anon, authenticated`;

/** Who installs: the first may create roles, so that the engine is a role of its own; the second is the engine. */
const INSTALLERS: Readonly<Record<string, string>> = {
  "who may create roles": "create role memory_owner createrole login",
  "who may not": "create role memory_owner login",
};

if (requestedLegs().includes("postgres")) {
  describe(legTitle("the grants", "postgres"), () => {
    let cluster: Cluster;
    let admin: pg.Client;
    let clients: pg.Client[] = [];
    beforeAll(async () => {
      cluster = await startCluster();
      admin = await connect("postgres", "postgres");
      clients = [];
      await admin.query("create role anon nologin; create role authenticated nologin");
    });
    afterAll(async () => {
      await admin.end();
      await cluster.remove();
    });
    beforeEach(() => admin.query("create database memory_grants"));
    afterEach(async () => {
      await Promise.all(clients.splice(0).map((client) => client.end()));
      await admin.query("drop database memory_grants with (force)");
      for (const role of ["memory_owner", "memory_app", "memory_auditor", ENGINE]) {
        await admin.query(`drop role if exists ${role}`);
      }
    });

    const connect = async (user: string, database = "memory_grants") => {
      const client = new pg.Client({ host: cluster.root, port: cluster.port, user, database });
      client.on("error", () => undefined);
      await client.connect();
      clients.push(client);
      return client;
    };
    const installed = async (installer: string, defaults = "select 1") => {
      const superuser = sqlOf(await connect("postgres"));
      await superuser(INSTALLERS[installer]!);
      await superuser("alter database memory_grants owner to memory_owner");
      await superuser(defaults);
      const owner = await connect("memory_owner");
      await owner.query(MIGRATION);
      return { superuser, owner: sqlOf(owner) };
    };

    describe.each(Object.keys(INSTALLERS))("of an installer %s,", (installer) => {
      test.each([
        ["in the schema public", IN_PUBLIC],
        ["everywhere", EVERYWHERE],
      ])("give whoever calls a web gateway nothing, whatever the defaults are %s", async (_where, defaults) => {
        const { superuser } = await installed(installer, defaults);

        expect(await rightsOf(superuser, WEB_ROLES)).toEqual([]);
      });

      test("leave every check ok where the defaults are for the schema public, as such hosts have them", async () => {
        const { superuser } = await installed(installer, IN_PUBLIC);

        expect(await failedChecks(superuser)).toEqual([]);
      });

      test("let an application call and an auditor read the evidence of the tenant that is set, and neither more", async () => {
        const { superuser, owner } = await installed(installer);
        await superuser("create role memory_app login");
        await superuser("create role memory_auditor login");
        await runEach(owner, grantsSql({ appRole: "memory_app", auditorRole: "memory_auditor" }));
        for (const tenantKey of ["acme", "globex"]) {
          await insertLineage(superuser, { tenantKey });
          await superuser("delete from demystify_memory.memory where tenant_key = $1", [tenantKey]);
        }
        const [app, auditor] = [sqlOf(await connect("memory_app")), sqlOf(await connect("memory_auditor"))];
        await auditor("select set_config('app.current_tenant', 'acme', false)");

        const seen = await auditor("select distinct tenant_key from demystify_memory.tombstone");
        const refused = async (sql: Sql, statements: readonly string[]) => {
          const codes: string[] = [];
          for (const statement of statements) codes.push((await refusalOf(sql(statement))).code);
          return codes;
        };
        const codes = [
          ...(await refused(auditor, [
            "select from demystify_memory.memory",
            "select from demystify_memory.derived",
            "select from demystify_memory.placement",
            "select from demystify_memory.live_memory",
            "select demystify_memory.uuid_v7()",
            "insert into demystify_memory.tombstone default values",
          ])),
          ...(await refused(app, [
            "select from demystify_memory.memory",
            "select from demystify_memory.tombstone",
            "delete from demystify_memory.memory",
            "select demystify_memory.configure('record', null)",
          ])),
        ];

        expect(seen).toEqual([{ tenant_key: "acme" }]);
        expect(codes).toEqual(codes.map(() => "42501"));
        expect(await failedChecks(superuser)).toEqual([]);
      });

      test.each(WEB_ROLES)("are refused to the role %s, with what to do instead", async (role) => {
        const { owner } = await installed(installer);

        const refusal = await refusalOf(owner(grantsSql({ appRole: role })));

        expect(refusal).toMatchObject({ code: "ME001", hint: expect.stringContaining("your own server") as unknown });
      });
    });

    test("leave what the engine makes later closed to everybody", async () => {
      const { superuser } = await installed("who may create roles");

      await superuser(`grant create on schema demystify_memory to ${ENGINE}`);
      await superuser(`set role ${ENGINE}`);
      await superuser("create function demystify_memory.later() returns int language sql as 'select 1'");
      await superuser("reset role");

      expect(await rightsOf(superuser, [...WEB_ROLES, "pg_monitor"])).toEqual([]);
    });

    test("of an installer who owns the tables are reported where the database's defaults would open later ones", async () => {
      const { superuser } = await installed("who may not", EVERYWHERE);

      expect(await failedChecks(superuser)).toEqual(["default_privileges_give_nothing"]);
    });

    test.each([
      ["who may create roles", "critical", "nobody can log in as the owner of the tables"],
      ["who may not", "warning", "weaker here"],
    ])("of an installer %s come with a row that says who owns the tables", async (installer, severity, says) => {
      const { owner } = await installed(installer);

      const [row] = await owner(
        "select * from demystify_memory.verify_install() where check_name = 'owner_cannot_log_in'",
      );

      expect(row).toMatchObject({ ok: true, severity, detail: expect.stringContaining(says) as unknown });
    });
  });
}

/** Each thing of the schema on which one of the roles has any right, however it came by it. */
async function rightsOf(sql: Sql, roles: readonly string[]): Promise<readonly unknown[]> {
  return sql(
    `select r.role, x.what
       from unnest($1::text[]) r(role),
       lateral (
         select 'schema' as what where has_schema_privilege(r.role, 'demystify_memory', 'usage, create')
         union all
         select c.relname from pg_class c
          where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'v')
            and (has_table_privilege(r.role, c.oid, 'select, insert, update, delete, truncate, references, trigger')
                 or has_any_column_privilege(r.role, c.oid, 'select, insert, update, references'))
         union all
         select f.proname from pg_proc f
          where f.pronamespace = 'demystify_memory'::regnamespace and has_function_privilege(r.role, f.oid, 'execute')) x`,
    [roles],
  );
}

async function failedChecks(sql: Sql): Promise<readonly string[]> {
  const rows = await sql("select check_name from demystify_memory.verify_install() where not ok order by 1");
  return rows.map(({ check_name: name }) => String(name));
}

async function runEach(sql: Sql, script: string): Promise<void> {
  for (const statement of script.split(";").filter((part) => part.trim() !== "")) await sql(statement);
}

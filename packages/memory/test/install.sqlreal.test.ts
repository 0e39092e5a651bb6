import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { InstallError, Memory, PgMemoryStore, configure, grantsSql, migrate, plan } from "../src/index.js";
import { refusalOf } from "./sqlreal/refusals.js";
import { insertLineage } from "./sqlreal/rows.js";
import { outcomeOf, untilBlocked } from "./sqlreal/sessions.js";
import { sqlOf } from "./sqlreal/databases.js";
import { legTitle, requestedLegs } from "./support/legs.js";
import { startCluster } from "./support/native-postgres.js";
import type { Cluster } from "./support/native-postgres.js";

const MIGRATION = readFileSync(new URL("../migrations/0001_memory.sql", import.meta.url), "utf8");
const ENGINE = "demystify_memory_engine";

/** Who installs. `prepare` is what an administrator does first, in the new database. */
interface Installer {
  readonly role: string;
  readonly prepare: string;
  /** Whose the tables and functions then are: the role that nobody logs in as, where the installer could make it. */
  readonly owner: string;
}

const INSTALLERS: Readonly<Record<string, Installer>> = {
  "a superuser": { role: "memory_super", prepare: "create role memory_super superuser login", owner: ENGINE },
  "a role that may create roles and owns the database": {
    role: "memory_owner",
    prepare: "create role memory_owner createrole login; alter database memory_install owner to memory_owner",
    owner: ENGINE,
  },
  "a plain role that owns the database": {
    role: "memory_owner",
    prepare: "create role memory_owner login; alter database memory_install owner to memory_owner",
    owner: "memory_owner",
  },
  "a plain role for which an administrator made the schema, without CREATE on the database": {
    role: "memory_tenant",
    prepare: `create role memory_tenant login; create schema demystify_memory authorization memory_tenant;
              revoke create on schema public from public`,
    owner: "memory_tenant",
  },
};

if (requestedLegs().includes("postgres")) {
  describe(legTitle("the migration, run by psql", "postgres"), () => {
    let cluster: Cluster;
    let admin: pg.Client;
    const clients: pg.Client[] = [];

    beforeAll(async () => {
      cluster = await startCluster();
      admin = new pg.Client({ connectionString: cluster.url() });
      await admin.connect();
    });
    afterAll(async () => {
      await admin.end();
      await cluster.remove();
    });

    const createDatabase = () => admin.query("create database memory_install");
    // Roles belong to the whole server: the next installer must find none.
    const removeAll = async () => {
      await Promise.all(clients.splice(0).map((client) => client.end()));
      for (const name of ["memory_install", "memory_second"])
        await admin.query(`drop database if exists ${name} with (force)`);
      const { rows } = await admin.query<{ name: string }>(
        "select rolname as name from pg_roles where rolname like 'memory\\_%' or rolname = $1 order by rolname = $1 desc",
        [ENGINE],
      );
      for (const { name } of rows) await admin.query(`drop role ${name}`);
    };
    // On the socket in the cluster's folder connections need no password.
    const connect = async (user = "postgres", database = "memory_install") => {
      const client = new pg.Client({ host: cluster.root, port: cluster.port, user, database });
      client.on("error", () => undefined);
      await client.connect();
      clients.push(client);
      return client;
    };
    const install = async ({ role, prepare }: Installer) => {
      const superuser = await connect();
      await superuser.query(prepare);
      const installer = await connect(role);
      await installer.query(MIGRATION);
      return { superuser, installer };
    };

    describe.each(Object.keys(INSTALLERS))("by %s,", (name) => {
      const who = INSTALLERS[name]!;
      let installed: Awaited<ReturnType<typeof install>>;
      let memory: Memory;

      beforeAll(async () => {
        await createDatabase();
        installed = await install(who);
        const { superuser, installer } = installed;
        await installer.query(MIGRATION);
        await superuser.query("create role memory_app login");
        await installer.query(grantsSql({ appRole: "memory_app" }));
        memory = new Memory({ store: new PgMemoryStore(await connect("memory_app")) });
      });
      afterAll(removeAll);

      test("installs, twice without harm, and every check is ok", async () => {
        expect(await failedChecks(installed.installer)).toEqual([]);
        const owners = await installed.superuser.query(
          "select distinct pg_get_userbyid(relowner) as owner from pg_class where relnamespace = 'demystify_memory'::regnamespace",
        );
        expect(owners.rows).toEqual([{ owner: who.owner }]);
      });

      test("lets an application remember, derive, recall and forget with the grants alone", async () => {
        const tenantKey = "acme";
        const { source, summary } = await rememberAndDerive(memory, tenantKey);
        const byTerm = await memory.recall({ tenantKey, text: "tea" });
        const byVector = await memory.recall({ tenantKey, embedding: [1, 0] });

        const receipt = await memory.forget({ tenantKey, subjectKey: "customer:ramesh" });

        expect([byTerm.hits.length, byVector.hits.length]).toEqual([2, 1]);
        expect(receipt).toMatchObject({ state: "complete", counts: { memories: 1, derived: 1, provenanceEdges: 1 } });
        expect(await memory.getMemory(tenantKey, source.memory.memoryId)).toBeNull();
        expect(await memory.getDerived(tenantKey, summary.derived.derivedId)).toBeNull();
      });

      test("answers what was stored as it is stored", async () => {
        const { source, summary } = await rememberAndDerive(memory, "globex");

        expect(await memory.getMemory("globex", source.memory.memoryId)).toEqual(source.memory);
        expect(await memory.getDerived("globex", summary.derived.derivedId)).toEqual(summary.derived);
      });

      test("gives PUBLIC nothing, not even USAGE of the schema", async () => {
        await installed.superuser.query("create role memory_stranger login");
        const stranger = await connect("memory_stranger");

        const refusals = [
          await refusalOf(stranger.query("select * from demystify_memory.live_memory")),
          await refusalOf(stranger.query("select * from demystify_memory.verify_install()")),
        ];

        expect(refusals.map(({ code }) => code)).toEqual(["42501", "42501"]);
      });

      test("lets the installer choose, and add a legal basis", async () => {
        const { installer } = installed;
        await configure(installer, { directDelete: "refuse", tenantScope: "host" });
        await installer.query("insert into demystify_memory.legal_basis (code) values ('lgpd_18')");

        const { rows } = await installer.query("select direct_delete, tenant_scope from demystify_memory.settings");
        expect(rows).toEqual([{ direct_delete: "refuse", tenant_scope: "host" }]);
      });
    });

    describe("by a role that may create roles,", () => {
      let installed: Awaited<ReturnType<typeof install>>;
      beforeAll(async () => {
        await createDatabase();
        installed = await install(INSTALLERS["a role that may create roles and owns the database"]!);
      });
      afterAll(removeAll);

      test("holds the login role that migrated to the tenant policy", async () => {
        const { superuser, installer } = installed;
        await insertLineage(sqlOf(superuser), { tenantKey: "acme" });

        const unset = await installer.query("select * from demystify_memory.memory");
        const deleted = await installer.query("delete from demystify_memory.memory");
        await installer.query("select set_config('app.current_tenant', 'other', false)");
        const other = await installer.query("select * from demystify_memory.memory");
        await installer.query("select set_config('app.current_tenant', 'acme', false)");
        const own = await installer.query("select * from demystify_memory.memory");

        expect([unset.rows.length, deleted.rowCount, other.rows.length, own.rows.length]).toEqual([0, 0, 0, 1]);
      });

      test.each([
        "alter table demystify_memory.memory disable trigger all",
        "drop trigger memory_delete_2_reaches_derived on demystify_memory.memory",
        "alter table demystify_memory.memory no force row level security",
        "create or replace function demystify_memory.gate_memory() returns trigger language plpgsql as 'begin return null; end'",
        "insert into demystify_memory.tombstone default values",
        "update demystify_memory.memory set text = ''",
        "truncate demystify_memory.memory",
        "delete from demystify_memory.placement",
      ])("leaves that login role no right over the rules that it is held to: %s", async (statement) => {
        expect((await refusalOf(installed.installer.query(statement))).code).toBe("42501");
      });
    });

    describe("once", () => {
      beforeEach(createDatabase);
      afterEach(removeAll);

      test("by another role than the one that installed is refused, and says who may", async () => {
        await install(INSTALLERS["a plain role that owns the database"]!);
        const superuser = await connect();
        await superuser.query(
          "create role memory_other login; grant create, usage on schema demystify_memory to memory_other",
        );

        const refusal = await refusalOf((await connect("memory_other")).query(MIGRATION));

        expect(refusal.message).toContain("memory_other");
        expect(refusal.message).toContain("memory_owner");
        expect(refusal.hint).toContain("as the role that installed it");
      });

      test("without the right to create the schema is refused with what to ask an administrator for", async () => {
        const superuser = await connect();
        await superuser.query("create role memory_plain login");

        const error: unknown = await migrate(await connect("memory_plain")).catch((reason: unknown) => reason);

        expect(error).toBeInstanceOf(InstallError);
        expect((error as InstallError).help).toContain("create schema demystify_memory authorization");
      });

      test("that fails in the middle leaves nothing behind, and can be run again", async () => {
        const client = await connect();
        const broken = MIGRATION.replace(/^commit;$/m, "select 1 / 0;\ncommit;");
        expect(broken).not.toBe(MIGRATION);

        const refusal = await refusalOf(client.query(broken));
        await client.query("rollback");

        expect(refusal.code).toBe("22012");
        expect((await client.query("select to_regnamespace('demystify_memory') as schema")).rows).toEqual([
          { schema: null },
        ]);
        expect((await client.query("select from pg_roles where rolname = $1", [ENGINE])).rows).toEqual([]);
        await client.query(MIGRATION);
        expect(await failedChecks(client)).toEqual([]);
      });

      test("by two at once is one installation: the second waits and finds everything in place", async () => {
        const [first, second] = [await connect(), await connect()];

        await Promise.all([first.query(MIGRATION), second.query(MIGRATION)]);

        expect(await failedChecks(first)).toEqual([]);
        expect((await first.query("select version from demystify_memory.schema_migration")).rows).toEqual([
          { version: 1 },
        ]);
      });

      test("through migrate() by two at once is one installation too", async () => {
        const outcomes = await Promise.all([migrate(await connect()), migrate(await connect())]);

        expect(outcomes.map(({ targetVersion }) => targetVersion)).toEqual([1, 1]);
        expect(await failedChecks(await connect())).toEqual([]);
      });

      test("in two databases of one server at once works in both, though roles belong to the server", async () => {
        await admin.query("create database memory_second");
        const [first, second] = [await connect(), await connect("postgres", "memory_second")];
        const [early, late] = MIGRATION.split(/^commit;$/m) as [string, string];
        await first.query(early);
        const migrating = outcomeOf(second.query(MIGRATION));
        await untilBlocked(sqlOf(admin), second);
        await first.query(`commit;${late}`);

        expect(await migrating).toBeUndefined();
        expect([await failedChecks(first), await failedChecks(second)]).toEqual([[], []]);
      });

      test("answers what it would do, and does nothing, when it is only asked for a plan", async () => {
        const client = await connect();

        const planned = await plan(client);
        const dry = await migrate(client, { dryRun: true });

        expect(planned).toMatchObject({ currentVersion: 0, targetVersion: 1 });
        expect(planned.sql).toBe(MIGRATION);
        expect(dry.applied).toEqual([]);
        expect((await client.query("select to_regnamespace('demystify_memory') as schema")).rows).toEqual([
          { schema: null },
        ]);
      });

      test.each([
        [
          "newer",
          "insert into demystify_memory.schema_migration (version, name) values (999, '0999_future')",
          /npm install @demystify\/memory/,
        ],
        [
          "older",
          `alter table demystify_memory.schema_migration disable trigger all; delete from demystify_memory.schema_migration;
         insert into demystify_memory.schema_migration (version, name) values (0, '0000_past')`,
          /migrate\(db\)/,
        ],
      ])("that left a %s schema is refused by the library, with the command to run", async (_what, change, command) => {
        const { superuser } = await install(INSTALLERS["a superuser"]!);
        await superuser.query(change);

        const error: unknown = await new Memory({ store: new PgMemoryStore(superuser) })
          .remember({ tenantKey: "acme", subjectKey: "customer:ramesh", text: "said" })
          .catch((reason: unknown) => reason);

        expect(error).toBeInstanceOf(InstallError);
        expect((error as InstallError).help).toMatch(command);
      });

      test("that was never run is an error that says so", async () => {
        const error: unknown = await new Memory({ store: new PgMemoryStore(await connect()) })
          .getMemory("acme", "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a")
          .catch((reason: unknown) => reason);

        expect(error).toBeInstanceOf(InstallError);
        expect((error as InstallError).help).toContain("migrate(db)");
      });
    });
  });
}

if (requestedLegs().includes("pglite")) {
  describe(legTitle("the migration, on a PGlite without extensions", "pglite"), () => {
    test("installs, twice without harm, and every check is ok", async () => {
      // The template of the other tests, opened without pgvector's files and emptied.
      const template = await readFile(inject("pgliteTemplate")!);
      const db = await PGlite.create({ loadDataDir: new Blob([template]) });
      await db.exec("drop schema demystify_memory cascade; drop extension vector");
      await db.exec(MIGRATION);
      await db.exec(MIGRATION);

      const { rows } = await db.query("select check_name from demystify_memory.verify_install() where ok is not true");
      expect(rows).toEqual([]);
      const memory = new Memory({ store: new PgMemoryStore(db) });
      expect(await memory.capabilities()).toMatchObject({ vectorSearch: "in-process" });
      await rememberAndDerive(memory, "acme");
      expect((await memory.recall({ tenantKey: "acme", embedding: [1, 0] })).hits).toHaveLength(1);
      expect(await memory.forget({ tenantKey: "acme", subjectKey: "customer:ramesh" })).toMatchObject({
        state: "complete",
        counts: { memories: 1, derived: 1 },
      });
      await db.close();
    });
  });
}

async function rememberAndDerive(memory: Memory, tenantKey: string) {
  const source = await memory.remember({
    tenantKey,
    subjectKey: "customer:ramesh",
    text: "prefers tea",
    embedding: [1, 0],
  });
  const sources = [{ sourceKind: "memory" as const, sourceId: source.memory.memoryId }];
  return { source, summary: await memory.derive({ tenantKey, kind: "summary", text: "tea", sources }) };
}

async function failedChecks(client: pg.Client): Promise<unknown[]> {
  const { rows } = await client.query<{ check_name: string }>(
    "select check_name from demystify_memory.verify_install() where ok is not true",
  );
  return rows.map(({ check_name: name }) => name);
}

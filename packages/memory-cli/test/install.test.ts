import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grantsSql } from "@demystify/memory";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type {} from "../../memory/test/support/global-setup.js";
import { legTitle } from "../../memory/test/support/legs.js";
import { documentOf, run } from "./support/run-main.js";
import { temporaryFolder } from "./support/input.js";
import { describeOnServer } from "./support/server-suite.js";

const folder = temporaryFolder();

const server = inject("postgresServer");
if (server !== null) {
  describe(legTitle("installing in an empty database", "postgres"), () => {
    const name = `memory_cli_${randomBytes(6).toString("hex")}`;
    const url = new URL(server.adminUrl);
    url.pathname = `/${name}`;
    const env = { DATABASE_URL: url.href };
    const admin = new pg.Pool({ connectionString: server.adminUrl, max: 1 });
    beforeAll(() => admin.query(`create database ${name}`));
    afterAll(async () => {
      await admin.query(`drop database if exists ${name} with (force)`);
      await admin.end();
    });

    test("plan and a dry run show what is to do and do nothing; migrate does it, and once is enough", async () => {
      const planned = await run(["plan"], { env });
      const dry = await run(["migrate", "--dry-run", "--json"], { env });
      const before = await run(["version", "--json"], { env });
      const migrated = await run(["migrate", "--json"], { env });
      const again = await run(["migrate", "--json"], { env });

      expect(planned.code).toBe(0);
      expect(planned.stdout).toContain("create schema demystify_memory");
      expect(documentOf(dry)).toMatchObject({ dryRun: true, pending: ["0001_memory"], applied: [] });
      expect(documentOf(before)).toMatchObject({ schema: { installed: { version: 0 } } });
      expect(documentOf(migrated)).toMatchObject({ ok: true, currentVersion: 0, targetVersion: 1, applied: [1] });
      expect(documentOf(again)).toMatchObject({ currentVersion: 1, pending: [], applied: [] });
      expect((await run(["plan"], { env })).stdout).toBe("");
    });

    test("the URL may stand in a file, which others had better not read", async () => {
      const file = join(folder, "url");
      writeFileSync(file, `${url.href}\n`, { mode: 0o644 });

      const verified = await run(["verify", "--json", "--database-url-file", file]);

      expect(verified.code).toBe(0);
      expect(documentOf<{ checks: unknown[] }>(verified).checks.length).toBeGreaterThanOrEqual(40);
      expect(verified.stderr).toContain("chmod 600");
      expect(verified.stdout + verified.stderr).not.toContain(url.password);
    });

    test("verify ends with 1 and says what to do where a rule was switched off", async () => {
      const owner = new pg.Pool({ connectionString: url.href, max: 1 });
      await owner.query("alter table demystify_memory.tombstone disable trigger tombstone_is_append_only");

      const broken = await run(["verify"], { env });
      await owner.query("alter table demystify_memory.tombstone enable always trigger tombstone_is_append_only");
      await owner.end();

      expect(broken.code).toBe(1);
      expect(broken.stdout).toContain("✗ triggers_fire_always");
      expect(broken.stdout).toMatch(/of \d+ checks are not ok/);
    });

    test("a routine that is gone is told with the command that puts it back, and that command does", async () => {
      const owner = new pg.Pool({ connectionString: url.href, max: 1 });
      await owner.query("drop function demystify_memory.capabilities()");
      await owner.end();

      const stuck = await run(["erasures", "--tenant", "acme"], { env });
      const broken = await run(["verify"], { env });
      const migrated = await run(["migrate", "--json"], { env });
      const again = await run(["migrate", "--again", "--json"], { env });
      const mended = await run(["verify"], { env });

      expect([stuck.code, broken.code]).toEqual([1, 1]);
      expect(stuck.stderr).toContain("demystify-memory migrate (--again");
      expect(broken.stdout).toContain("demystify-memory migrate --again");
      expect(documentOf(migrated)).toMatchObject({ applied: [] });
      expect(documentOf(again)).toMatchObject({ ok: true, applied: [1] });
      expect(mended.code).toBe(0);
    });

    test("grants are printed, or applied, and then the role may work", async () => {
      const printed = await run(["grants", "--app", server.appRole]);
      const applied = await run(["grants", "--app", server.appRole, "--apply", "--json"], { env });

      expect(printed).toMatchObject({ code: 0, stdout: grantsSql({ appRole: server.appRole }) });
      expect(documentOf(applied)).toMatchObject({ ok: true, applied: true });
    });

    test("a role that does not exist is refused with what to do", async () => {
      const refused = await run(["grants", "--app", "no_such_role_here", "--apply"], { env });

      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("SQLSTATE");
    });

    test("uninstall wants the name of the database, and then nothing is left", async () => {
      const unasked = await run(["uninstall"], { env });
      const mistyped = await run(["uninstall", "--confirm", "another"], { env });
      const there = await run(["verify", "--json"], { env });
      const dropped = await run(["uninstall", "--confirm", name, "--json"], { env });
      const again = await run(["uninstall", "--confirm", name, "--json"], { env });

      expect(unasked.code).toBe(2);
      expect(unasked.stderr).toContain("--confirm");
      expect(mistyped.code).toBe(2);
      expect(there.code).toBe(0);
      expect(documentOf(dropped)).toMatchObject({ dropped: true });
      expect(documentOf(again)).toMatchObject({ dropped: false });
      expect((await run(["verify"], { env })).code).toBe(1);
    });

    test("a pepper, a tenant and a person can be given to a database without the schema, which says what to run", async () => {
      const refused = await run(["forget", "--yes", "--json", "--tenant", "t"], { env, input: "somebody" });

      expect(refused.code).toBe(1);
      expect(documentOf(refused)).toMatchObject({ error: { code: "ERR_INSTALL" } });
    });
  });
}

describe("migrations for other tools", () => {
  test.each([
    ["psql", /^0001_memory\.sql$/, /^-- .*|^begin;/],
    ["supabase", /^supabase\/migrations\/\d{14}_demystify_0001_memory\.sql$/, /begin;/],
    ["dbmate", /^db\/migrations\/\d{14}_demystify_0001_memory\.sql$/, /^-- migrate:up transaction:false\n/],
    ["node-pg-migrate", /^migrations\/\d{13}_demystify-0001-memory\.mjs$/, /pgm\.noTransaction\(\)/],
  ])("%s gets files named and begun as it wants them, without a database", async (format, name, begins) => {
    const emitted = await run(["migrate", "--emit", format, "--json"]);
    const { files } = documentOf<{ files: { name: string; content: string }[] }>(emitted);
    const printed = await run(["migrate", "--emit", format]);

    expect(emitted.code).toBe(0);
    expect(files).toHaveLength(1);
    expect(files[0]?.name).toMatch(name);
    expect(files[0]?.content).toMatch(begins);
    expect(printed.stdout).toContain("create schema demystify_memory");
  });

  test("files are written once, and never over what is there", async () => {
    const out = join(folder, "emitted");

    const written = await run(["migrate", "--emit", "psql", "--out", out]);
    const again = await run(["migrate", "--emit", "psql", "--out", out]);
    const later = await run(["migrate", "--emit", "psql", "--since", "1", "--json"]);

    expect(written).toMatchObject({ code: 0, stdout: "" });
    expect(readdirSync(out)).toEqual(["0001_memory.sql"]);
    expect(readFileSync(join(out, "0001_memory.sql"), "utf8")).toContain("commit;");
    expect(again.code).toBe(2);
    expect(again.stderr).toContain("is already there");
    expect(documentOf(later)).toMatchObject({ files: [] });
  });

  test("the script for node-pg-migrate is a module that hands over the whole migration, outside a transaction", async () => {
    const out = join(folder, "npm-migrate");
    await run(["migrate", "--emit", "node-pg-migrate", "--out", out]);
    const [file = ""] = readdirSync(join(out, "migrations"));
    const module = (await import(join(out, "migrations", file))) as { up(pgm: object): void; down: false };
    const calls: string[] = [];
    module.up({ noTransaction: () => calls.push("noTransaction"), sql: (text: string) => calls.push(text) });

    expect(module.down).toBe(false);
    expect(calls).toEqual(["noTransaction", expect.stringContaining("create schema demystify_memory") as string]);
  });
});

test("partitions are chosen by the first migration, and by no later one", async () => {
  const embedded = ["--embedded", join(folder, "partitioned"), "--json"];

  const migrated = await run(["migrate", "--partitions", "4", ...embedded]);
  const verified = await run(["verify", ...embedded]);
  const same = await run(["migrate", "--partitions", "4", ...embedded]);
  const other = await run(["migrate", "--partitions", "8", ...embedded]);

  expect(documentOf(migrated)).toMatchObject({ ok: true, applied: [1] });
  expect(verified.code).toBe(0);
  expect(documentOf(same)).toMatchObject({ ok: true, applied: [] });
  expect(other.code).toBe(1);
  expect(other.stdout + other.stderr).toContain("in 4 partitions");
});

describe("wrong usage of the install commands ends with 2 and says what was expected", () => {
  test.each([
    ["no database", ["plan"], "DATABASE_URL"],
    ["an unknown format", ["migrate", "--emit", "flyway"], "Allowed choices"],
    ["files without a format", ["migrate", "--out", "x"], "--emit"],
    ["a version that is none", ["migrate", "--emit", "psql", "--since", "x"], "--since"],
    ["one partition", ["migrate", "--partitions", "1"], "2 to 256"],
    ["partitions that are no number", ["migrate", "--partitions", "many"], "2 to 256"],
    ["partitions of what is there", ["migrate", "--again", "--partitions", "4"], "cannot be used with"],
    ["grants for nobody", ["grants"], "--app"],
    ["one role twice", ["grants", "--app", "a", "--auditor", "a"], "one role"],
    ["a URL that is none", ["verify"], "postgres://"],
    ["two databases", ["verify", "--embedded", "a", "--database-url-file", "b"], "cannot be used with"],
    ["a missing secret file", ["verify", "--database-url-file", "/nowhere/url"], "ENOENT"],
    ["a doctor's wrong duration", ["doctor", "--open-for", "long"], "--open-for"],
  ])("%s", async (_case, args, expected) => {
    const refused = await run(args, { env: expected === "postgres://" ? { DATABASE_URL: "mysql://x" } : {} });

    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(expected);
  });

  test("a server that cannot be reached ends with 1, without user and password", async () => {
    const refused = await run(["verify"], { env: { DATABASE_URL: "postgres://someone:hunter2@127.0.0.1:1/shop" } });

    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("cannot connect to 127.0.0.1:1/shop");
    expect(refused.stderr).not.toMatch(/hunter2|someone/);
  });
});

describeOnServer("migrations emitted for psql", (given) => {
  test("may be run over an installation without harm", async () => {
    const { files } = documentOf<{ files: { content: string }[] }>(await run(["migrate", "--emit", "psql", "--json"]));

    for (const { content } of files) await given.admin.query(content);

    expect((await run(["verify"], { env: { DATABASE_URL: given.adminUrl } })).code).toBe(0);
  });
});

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { looksPooled } from "../src/doctor/pooler-name.js";
import { documentOf, run, type MainRun } from "./support/run-main.js";
import { describeOnServer, PEPPER } from "./support/server-suite.js";
import { startPooler } from "./support/transaction-pooler.js";

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly detail: string;
  readonly remedy: string;
}

function findingsOf(examined: MainRun): ReadonlyMap<string, Finding> {
  return new Map(documentOf<{ findings: Finding[] }>(examined).findings.map((each) => [each.check, each]));
}

function levelsOf(examined: MainRun): Readonly<Record<string, string>> {
  return Object.fromEntries([...findingsOf(examined)].map(([check, { level }]) => [check, level]));
}

describeOnServer("doctor", (given) => {
  const role = `doctor_${randomBytes(5).toString("hex")}`;
  const password = randomBytes(12).toString("hex");
  beforeAll(() => given.admin.query(`create role ${role} login password '${password}'`));
  afterAll(async () => {
    await given.admin.query(`drop owned by ${role}; drop role ${role}`);
  });
  const urlOf = () => {
    const url = new URL(given.adminUrl);
    url.username = role;
    url.password = password;
    return url.href;
  };
  const examine = (url: string, args: readonly string[] = []) =>
    run(["doctor", "--json", ...args], { env: { DATABASE_URL: url, DEMYSTIFY_MEMORY_PEPPER: PEPPER } });

  test("finds nothing wrong with the application's own role, and exits 0", async () => {
    const examined = await examine(given.appUrl);

    expect(examined.code).toBe(0);
    expect(levelsOf(examined)).toMatchObject({
      role_superuser: "ok",
      role_bypasses_rls: "ok",
      role_is_engine: "ok",
      role_is_installer: "ok",
      role_changes_rows: "ok",
      session_tenant: "ok",
      grants: "ok",
      exposure_grants: "ok",
      pooler: "ok",
      rules: "ok",
      schema_version: "ok",
    });
    expect(levelsOf(examined)["open_erasures"]).toBe("skipped");
  });

  test("what it could not look at is a warning under --strict, with exit 3", async () => {
    expect((await examine(given.appUrl, ["--strict"])).code).toBe(3);
  });

  test("fails a superuser, and says to use a role of its own", async () => {
    const examined = await examine(given.adminUrl);

    expect(examined.code).toBe(1);
    expect(levelsOf(examined)).toMatchObject({ role_superuser: "error", role_bypasses_rls: "error" });
    expect(findingsOf(examined).get("role_superuser")?.remedy).toContain("grants --app");
  });

  test("fails a role that lacks the grants, and says which command gives them", async () => {
    const examined = await examine(urlOf());

    expect(examined.code).toBe(1);
    expect(levelsOf(examined)).toMatchObject({ grants: "error", rules: "skipped" });
    expect(findingsOf(examined).get("grants")?.remedy).toContain(`grants --app ${role} --apply`);
  });

  test.each([
    [
      "BYPASSRLS",
      () => `alter role ${role} bypassrls`,
      () => `alter role ${role} nobypassrls`,
      "role_bypasses_rls",
      "error",
    ],
    [
      "membership in the engine role",
      () => `grant demystify_memory_engine to ${role}`,
      () => `revoke demystify_memory_engine from ${role}`,
      "role_is_engine",
      "error",
    ],
    [
      "one tenant for all its sessions",
      () => `alter role ${role} set app.current_tenant = 'acme'`,
      () => `alter role ${role} reset app.current_tenant`,
      "role_has_fixed_tenant",
      "error",
    ],
    [
      "the right to DELETE, with no tenant set",
      () => `grant delete on demystify_memory.memory to ${role}`,
      () => `revoke delete on demystify_memory.memory from ${role}`,
      "session_tenant",
      "warning",
    ],
    [
      "the rights of the installer",
      () => `grant execute on function demystify_memory.configure(text, text) to ${role}`,
      () => `revoke execute on function demystify_memory.configure(text, text) from ${role}`,
      "role_is_installer",
      "warning",
    ],
    [
      "the schema in its search_path",
      () =>
        `grant usage on schema demystify_memory to ${role}; alter role ${role} set search_path = demystify_memory, public`,
      () => `alter role ${role} reset search_path; revoke usage on schema demystify_memory from ${role}`,
      "search_path",
      "warning",
    ],
    [
      "a grant to PUBLIC",
      () => "grant usage on schema demystify_memory to public",
      () => "revoke usage on schema demystify_memory from public",
      "exposure_grants",
      "error",
    ],
    [
      "parameters in the server's log",
      () => `alter role ${role} set log_min_duration_statement = 0`,
      () => `alter role ${role} reset log_min_duration_statement`,
      "server_logs",
      "warning",
    ],
  ])("sees %s, says what to do, and is content again without it", async (_what, breakIt, mendIt, check, level) => {
    const before = levelsOf(await examine(urlOf()))[check];
    await given.admin.query(breakIt());
    const broken = await examine(urlOf());
    await given.admin.query(mendIt());
    const after = levelsOf(await examine(urlOf()))[check];

    expect([before, levelsOf(broken)[check], after]).toEqual(["ok", level, "ok"]);
    expect(findingsOf(broken).get(check)?.remedy).not.toBe("");
  });

  test("sees that a host's web interface serves the schema", async () => {
    const web = `authenticator_${randomBytes(4).toString("hex")}`;
    await given.admin.query(`create role ${web}; alter role ${web} set pgrst.db_schemas = 'public, demystify_memory'`);

    const examined = await examine(given.appUrl);
    await given.admin.query(`drop role ${web}`);

    expect(levelsOf(examined)["exposure_web"]).toBe("error");
  });

  test("sees an erasure that has been open for too long, in the tenant it is given", async () => {
    const { memory, tenantKey } = given.tenant();
    await memory.remember({ tenantKey, subjectKey: "somebody", text: "words" });
    await memory.erasures.open({ tenantKey, subjectKey: "somebody" });

    const late = await examine(given.appUrl, ["--tenant", tenantKey, "--open-for", "0s"]);
    const early = await examine(given.appUrl, ["--tenant", tenantKey, "--open-for", "1d"]);

    expect(late.code).toBe(1);
    expect(levelsOf(late)["open_erasures"]).toBe("error");
    expect(levelsOf(early)["open_erasures"]).toBe("ok");
  });

  test("tells a missing pepper, a wrong one, and a key that nothing needs any more", async () => {
    const { memory, tenantKey } = given.tenant();
    await memory.remember({ tenantKey, subjectKey: "somebody", text: "words" });
    const withPepper = (pepper: string) =>
      run(["doctor", "--json", "--tenant", tenantKey], {
        env: { DATABASE_URL: given.appUrl, DEMYSTIFY_MEMORY_PEPPER: pepper },
      });

    const missing = await withPepper("");
    const wrong = await withPepper("another pepper of thirty-two bytes or more, surely");
    const rotated = await withPepper(
      JSON.stringify([
        { id: "default", secret: PEPPER },
        { id: "k0", secret: "a pepper that was used once upon a time, long ago" },
      ]),
    );

    expect(levelsOf(missing)["pepper"]).toBe("error");
    expect(levelsOf(wrong)).toMatchObject({ pepper: "ok", pepper_secret: "error" });
    expect(levelsOf(rotated)).toMatchObject({ pepper: "ok", pepper_secret: "ok" });
    expect(findingsOf(rotated).get("pepper")?.detail).toContain("k0 may be dropped");
  });

  test("sees a pooler in transaction mode by what it does, and the commands work through it", async () => {
    const pooler = await startPooler(given.appUrl);
    const { memory, tenantKey } = given.tenant();
    await memory.remember({ tenantKey, subjectKey: "somebody", text: "words" });
    const env = { DATABASE_URL: pooler.url, DEMYSTIFY_MEMORY_PEPPER: PEPPER, DEMYSTIFY_MEMORY_TENANT: tenantKey };

    const examined = await run(["doctor", "--json"], { env });
    const forgotten = await run(["forget", "--yes", "--json"], { env, input: "somebody" });
    await pooler.close();

    expect(levelsOf(examined)["pooler"]).toBe("warning");
    expect(findingsOf(examined).get("pooler")?.detail).toContain("transaction mode");
    expect(documentOf(forgotten)).toMatchObject({ receipt: { state: "complete", counts: { memories: 1 } } });
  });

  test("tells on a page for people too, with a count at the end", async () => {
    const told = await run(["doctor"], { env: { DATABASE_URL: given.adminUrl } });

    expect(told.stdout).toContain("✗ role_superuser:");
    expect(told.stdout).toMatch(/^\d+ ok, \d+ warnings, \d+ errors, \d+ not looked at\.$/m);
  });

  test("finds a verify_install() that was replaced to say that all is well, and so does verify", async () => {
    const { rows } = await given.admin.query<{ definition: string }>(
      "select pg_get_functiondef('demystify_memory.verify_install()'::regprocedure) as definition",
    );
    const env = { DATABASE_URL: given.adminUrl };
    await given.admin.query("alter table demystify_memory.tombstone disable trigger tombstone_is_append_only");
    await given.admin.query(`create or replace function demystify_memory.verify_install()
      returns table (check_name text, ok boolean, severity text, detail text, remediation text)
      language sql stable set search_path = '' as $$ select 'triggers_fire_always', true, 'critical', 'all is well', '' $$`);

    const examined = await examine(given.appUrl);
    const verified = await run(["verify"], { env });
    await given.admin.query(rows[0]?.definition ?? "");
    const switchedOff = await examine(given.appUrl);
    await given.admin.query("alter table demystify_memory.tombstone enable always trigger tombstone_is_append_only");

    expect(examined.code).toBe(1);
    expect(findingsOf(examined).get("rules")).toMatchObject({
      level: "error",
      detail: "1 of 2 rules do not stand: verify_install_is_unchanged",
    });
    expect(verified.code).toBe(1);
    expect(verified.stdout).toContain("✗ verify_install_is_unchanged");
    expect(findingsOf(switchedOff).get("rules")?.detail).toContain("triggers_fire_always");
    expect(levelsOf(await examine(given.appUrl))["rules"]).toBe("ok");
  });
});

describe("the address of a pooler", () => {
  test.each([
    ["postgres://u:p@ep-cool-pooler.eu.example.com/db", true],
    ["postgres://u:p@aws-0.pooler.example.com:5432/db", true],
    ["postgres://u:p@db.example.com:6543/db", true],
    ["postgres://u:p@pgbouncer:5432/db", true],
    ["postgres://u:p@db.example.com/db?pgbouncer=true", true],
    ["postgres://u:p@db.example.com/pooler", false],
    ["postgres://u:p@localhost:5432/db", false],
    ["no url", false],
    [null, false],
  ])("%s: %s", (url, expected) => {
    expect(looksPooled(url)).toBe(expected);
  });
});

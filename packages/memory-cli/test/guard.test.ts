import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesystemPath, filesystemSink, placeThenWrite, type CopyTag } from "@demystify/memory-worker";
import { expect, test } from "vitest";
import { temporaryFolder } from "./support/input.js";
import { documentOf, linesOf, run } from "./support/run-main.js";
import { describeOnServer, type Given } from "./support/server-suite.js";

const folder = temporaryFolder();

/** Keeps a row as a backup would, and puts it back as a restore does: past every trigger. */
async function saveRow({ admin }: Given, memoryId: string): Promise<() => Promise<void>> {
  await admin.query("drop table if exists public.saved");
  await admin.query(
    `create table public.saved as select * from demystify_memory.memory where memory_id = '${memoryId}'`,
  );
  return async () => {
    await admin.query(`do $do$
      declare
        v_columns text := (select string_agg(quote_ident(attname), ', ') from pg_attribute
          where attrelid = 'demystify_memory.memory'::regclass and attnum > 0 and not attisdropped and attgenerated = '');
        v_trigger text;
      begin
        alter table demystify_memory.memory disable trigger user;
        execute format('insert into demystify_memory.memory (%1$s) select %1$s from public.saved', v_columns);
        for v_trigger in select tgname from pg_trigger
          where tgrelid = 'demystify_memory.memory'::regclass and not tgisinternal
        loop
          execute format('alter table demystify_memory.memory enable always trigger %I', v_trigger);
        end loop;
        drop table public.saved;
      end $do$`);
  };
}

describeOnServer("a sweep of the sinks, as the application's role", (given) => {
  /** A person with a copy in a folder, and the configuration of the worker that reaches it. */
  async function withCopy() {
    const tenant = given.tenant();
    const { memory, tenantKey } = tenant;
    const root = mkdtempSync(join(folder, "share-"));
    const sink = filesystemSink({ name: "share", root });
    const { memory: row } = await memory.remember({ tenantKey, subjectKey: "ramesh", text: "copied to a folder" });
    let path = "";
    const write = (tag: CopyTag) => {
      const ref = filesystemPath(tag, "copy.txt");
      path = join(root, ref);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "copied");
      return Promise.resolve(ref);
    };
    const sources = [{ sourceKind: "memory", sourceId: row.memoryId }] as const;
    await placeThenWrite({ memory, tenantKey, sink, ref: "to be written", kind: "file", sources, write });
    const config = join(root, "..", `${tenantKey}.json`);
    writeFileSync(config, JSON.stringify({ sinks: [{ type: "filesystem", name: "share", root }] }));
    return { ...tenant, root, path, config };
  }

  test("is clean where a sink holds what is on record, with no right on any table", async () => {
    const { cli, config } = await withCopy();
    const { rows } = await given.admin.query<{ may: boolean }>(
      "select has_table_privilege($1, 'demystify_memory.placement', 'select') as may",
      [given.appRole],
    );

    const swept = await cli(["sweep", "--config", config, "--json"]);

    expect(rows).toEqual([{ may: false }]);
    expect(swept.code).toBe(0);
    expect(documentOf(swept)).toMatchObject({
      verdict: "clean",
      sinks: [{ sink: "share", verdict: "clean", entries: 1, findings: [] }],
    });
  });

  test("finds with 5 what came back, opens its erasure anew with --repair, and is clean after a worker", async () => {
    const { cli, config, path } = await withCopy();
    await cli(["forget", "--yes"], { input: "ramesh" });
    await cli(["worker", "--once", "--config", config]);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "restored");

    const found = await cli(["sweep", "--config", config]);
    const repaired = await cli(["sweep", "--config", config, "--repair", "--json"]);
    const worked = await cli(["worker", "--once", "--config", config]);
    const after = await cli(["sweep", "--config", config]);

    expect([found.code, repaired.code, worked.code, after.code]).toEqual([5, 5, 0, 0]);
    expect(found.stdout).toContain("Verdict: residue");
    expect(documentOf(repaired)).toMatchObject({ sinks: [{ reopened: 1, findings: [{ code: "resurrection" }] }] });
    expect(existsSync(path)).toBe(false);
  });

  test("finds with 5 what nobody recorded, and shows where only when asked", async () => {
    const { cli, config, path } = await withCopy();
    const stray = join(dirname(path), "..", "1", "stray-of-ramesh.txt");
    mkdirSync(dirname(stray), { recursive: true });
    writeFileSync(stray, "nobody recorded this");

    const found = await cli(["sweep", "--config", config]);
    const shown = await cli(["sweep", "--config", config, "--show-refs"]);

    expect([found.code, shown.code]).toEqual([5, 5]);
    expect(found.stdout + found.stderr).not.toContain("stray-of-ramesh");
    expect(shown.stdout).toContain("stray-of-ramesh");
  });

  test("is unchecked with 1 where a sink cannot list what it holds; --show-refs without sinks is refused with 2", async () => {
    const { cli, config } = await withCopy();
    writeFileSync(config, JSON.stringify({ sinks: [{ type: "manual", name: "share" }] }));

    const unchecked = await cli(["sweep", "--config", config, "--json"]);
    const refused = await cli(["sweep", "--show-refs"]);

    expect(unchecked.code).toBe(1);
    expect(documentOf(unchecked)).toMatchObject({ verdict: "unchecked", sinks: [{ unchecked: "cannot_enumerate" }] });
    expect(refused.code).toBe(2);
  });
});

describeOnServer("guarding", (given) => {
  test("a sweep is clean with 0, finds what came back with 5, and repairs it", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const { memory: row } = await memory.remember({
      tenantKey,
      subjectKey: "ramesh",
      text: "came back from a restore",
    });
    const restore = await saveRow(given, row.memoryId);
    await cli(["forget", "--yes"], { input: "ramesh" });
    const clean = await cli(["sweep", "--json"]);
    await restore();

    const residue = await cli(["sweep", "--json"]);
    const repaired = await cli(["sweep", "--repair", "--json"]);
    const after = await cli(["sweep"]);

    expect(clean.code).toBe(0);
    expect(documentOf(clean)).toMatchObject({ verdict: "clean", findings: [] });
    expect(residue.code).toBe(5);
    expect(documentOf(residue)).toMatchObject({ ok: false, exitCode: 5, verdict: "residue" });
    expect(documentOf<{ findings: { code: string; id: string }[] }>(residue).findings).toContainEqual(
      expect.objectContaining({ code: "forgotten_but_live", id: row.memoryId }),
    );
    expect(repaired.code).toBe(5);
    expect(documentOf<{ repaired: number }>(repaired).repaired).toBeGreaterThan(0);
    expect(after).toMatchObject({ code: 0, stdout: expect.stringContaining("Verdict: clean") as string });
  });

  test("a sweep that could not look at everything is not called clean: it ends with 1", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    await memory.remember({ tenantKey, subjectKey: "ramesh", text: "imported", provenanceKnown: false });

    const unchecked = await cli(["sweep"]);

    expect(unchecked.code).toBe(1);
    expect(unchecked.stdout).toContain("Verdict: unchecked");
  });

  test("tombstones are exported, missed where they are missing, and replayed after a restore", async () => {
    const from = given.tenant();
    const { memory, tenantKey, cli } = from;
    await memory.remember({ tenantKey, subjectKey: "ramesh", text: "words" });
    await cli(["forget", "--yes"], { input: "ramesh" });
    const exported = await cli(["export-tombstones"]);
    const [line] = linesOf<{ tombstoneId: string }>(exported);
    const file = join(folder, "tombstones.jsonl");
    writeFileSync(file, exported.stdout);
    const lost = join(folder, "lost.jsonl");
    writeFileSync(lost, `${JSON.stringify({ ...line, tombstoneId: "018f0000-0000-7000-8000-000000000001" })}\n`);

    const known = await cli(["sweep", "--against", file, "--json"]);
    const missing = await cli(["sweep", "--against", lost, "--json"]);
    const replayed = await cli(["replay", lost, "--json"]);
    const again = await cli(["replay", lost, "--json"]);

    expect(exported.code).toBe(0);
    expect(documentOf(known)).toMatchObject({ verdict: "clean" });
    expect(missing.code).toBe(5);
    expect(documentOf(missing)).toMatchObject({ findings: [{ code: "evidence_missing" }] });
    expect(documentOf(replayed)).toMatchObject({ ok: true, replayed: 1, alreadyKnown: 0 });
    expect(documentOf(again)).toMatchObject({ replayed: 0, alreadyKnown: 1 });
  });

  test("a scan finds a literal wherever it stands with 5, and no longer after the erasure", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const literal = `canary ${tenantKey}`;
    await memory.remember({ tenantKey, subjectKey: "ramesh", text: `the ${literal.toUpperCase()} sings` });
    const scan = (args: readonly string[] = []) =>
      cli(["scan", "--json", ...args], { input: "canary tenant", env: { DATABASE_URL: given.adminUrl } });
    await given.admin.query("create table if not exists public.notes (body text)");
    await given.admin.query("insert into public.notes values ('a canary tenant in the host''s own table')");

    const found = await scan();
    const everywhere = await scan(["--all-schemas"]);
    await cli(["forget", "--yes"], { input: "ramesh" });
    const gone = await scan();
    await given.admin.query("drop table public.notes");

    expect(found.code).toBe(5);
    expect(documentOf(found)).toMatchObject({ found: [{ place: "demystify_memory.memory.text", rows: 1 }] });
    expect(documentOf<{ found: { place: string }[] }>(everywhere).found.map(({ place }) => place)).toEqual([
      "demystify_memory.memory.text",
      "public.notes.body",
    ]);
    expect(gone.code).toBe(0);
    expect(found.stdout + found.stderr).not.toContain("canary");
  });

  test("a scan as a role that may not read every table ends with 1, and names what it left out", async () => {
    const { cli } = given.tenant();

    const blind = await cli(["scan"], { input: "anything at all" });

    expect(blind.code).toBe(1);
    expect(blind.stdout).toContain("this role may not");
    expect(blind.stdout).toContain("demystify_memory.memory");
    expect(blind.stdout).not.toContain("Not found.");
  });

  test("a scan without a tenant, as a role that sees none, is not called empty", async () => {
    const installer = new URL(given.appUrl);
    await given.admin.query(`grant select on all tables in schema demystify_memory to ${given.appRole}`);

    const env = { DATABASE_URL: installer.href };
    const blind = await run(["scan", "--json"], { input: "anything at all", env });
    const oneTenant = await run(["scan", "--json", "--tenant", "t"], { input: "anything at all", env });
    await given.admin.query(`revoke select on all tables in schema demystify_memory from ${given.appRole}`);
    await given.admin.query(
      `grant select on demystify_memory.live_memory, demystify_memory.provenance to ${given.appRole}`,
    );

    expect(blind.code).toBe(1);
    expect(documentOf<{ hiddenByPolicy: string[] }>(blind).hiddenByPolicy).toContain("demystify_memory.memory");
    expect(oneTenant.code).toBe(0);
  });

  test.each([
    ["a scan for nothing", ["scan"], "", "held no literal"],
    ["a scan for too little", ["scan"], "abc", "shorter than 4"],
    ["a scan of two minds", ["scan", "--schema", "a", "--all-schemas"], "words", "--all-schemas"],
    ["a scan of no schema", ["scan", "--schema", "nowhere"], "words", "no table"],
    ["a scan with the literal as argument", ["scan", "9999911111"], "", "too many arguments"],
    ["a replay of no file", ["replay", "/nowhere/file"], "", "there is no such file"],
    ["a replay without a file", ["replay"], "", "file"],
    ["a sweep against no file", ["sweep", "--against", "/nowhere/file"], "", "there is no such file"],
    ["a sweep against a folder", ["sweep", "--against", "/"], "", "is not a file"],
    ["an export to an argument", ["export-tombstones", "x"], "", "too many arguments"],
  ])("%s ends with 2 and says what was expected", async (_case, args, input, expected) => {
    const { cli } = given.tenant();

    const refused = await cli(args, { input });

    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(expected);
    expect(refused.stderr).not.toContain("9999911111");
  });

  test("a file that is no export is refused with the number of its line, and nothing of what it says", async () => {
    const { cli } = given.tenant();
    const file = join(folder, "wrong.jsonl");
    writeFileSync(file, "ramesh said so\n");

    const refused = await cli(["replay", file]);

    expect(refused.code).toBe(2);
    expect(refused.stderr).not.toContain("ramesh");
  });
});

import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { filesystemPath, filesystemSink, placeThenWrite } from "@demystify/memory-worker";
import { expect, test } from "vitest";
import { temporaryFolder } from "./support/input.js";
import { documentOf, linesOf } from "./support/run-main.js";
import { describeOnServer, type Given } from "./support/server-suite.js";

const folder = temporaryFolder();

function fileOf(name: string, lines: readonly object[]): string {
  const path = join(mkdtempSync(join(folder, "import-")), name);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

describeOnServer("importing", (given) => {
  const LINES = [
    { subject: "a", at: "2025-08-04T09:12:00Z", text: "call me on 9876543210" },
    { subject: "b", text: "no time was kept" },
    { subject: "b", text: "no time was kept" },
  ];

  test("every line is stored under its person, masked, once however often it is imported", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const file = fileOf("messages.jsonl", LINES);

    const first = await cli(["import", file, "--kind", "message", "--json"]);
    const again = await cli(["import", file, "--kind", "message", "--json"]);
    const { rows } = await memory.listMemories({ tenantKey });

    expect(first.code).toBe(0);
    expect(documentOf(first)).toMatchObject({
      ok: true,
      messages: 3,
      stored: 3,
      redactions: { phone_in: 1 },
      refused: {},
    });
    expect(again.code).toBe(0);
    expect(rows).toHaveLength(3);
    expect(rows.map(({ kind }) => kind)).toEqual(["message", "message", "message"]);
    expect(first.stdout + first.stderr).not.toContain("9876543210");
  });

  test("whom a later erasure forgot an old file cannot bring back, with or without times", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const file = fileOf("messages.jsonl", LINES);
    await cli(["import", file]);
    for (const input of ["a", "b"]) await cli(["forget", "--yes"], { input });

    const again = await cli(["import", file, "--json"]);
    const strict = await cli(["import", file, "--strict"]);

    expect(again.code).toBe(0);
    expect(documentOf(again)).toMatchObject({
      stored: 0,
      refused: { ERR_SUBJECT_FORGOTTEN: 3 },
      refusedLines: [1, 2, 3],
    });
    expect(strict.code).toBe(3);
    expect(strict.stdout).toContain("lines 1, 2, 3");
    expect((await memory.listMemories({ tenantKey })).rows).toEqual([]);
  });

  test("begins where a stopped import said, and a whole file afterwards adds nothing twice", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const file = fileOf("messages.jsonl", LINES);

    const rest = await cli(["import", file, "--from-line", "3", "--json"]);
    const whole = await cli(["import", file, "--json"]);

    expect(documentOf(rest)).toMatchObject({ stored: 1 });
    expect(documentOf(whole)).toMatchObject({ stored: 3 });
    expect((await memory.listMemories({ tenantKey })).rows).toHaveLength(3);
  });

  test("CSV with columns of its own, and texts that things were made of that nobody recorded", async () => {
    const { cli } = given.tenant();
    const path = join(folder, "export.csv");
    writeFileSync(path, `customer,body,sent\na,"hello, there",2025-08-04T09:12:00Z\n`);
    const columns = ["--subject-column", "customer", "--text-column", "body", "--time-column", "sent"];

    const imported = await cli(["import", path, ...columns, "--provenance-unknown"]);
    const forgotten = await cli(["forget", "--yes", "--json"], { input: "a" });

    expect(imported.code).toBe(0);
    expect(imported.stdout).toContain("1 line stored");
    expect(forgotten.code).toBe(4);
    expect(documentOf(forgotten)).toMatchObject({ receipt: { escalation: { code: "closure_unknown" } } });
  });

  test("a line that is wrong is told by number before any line is stored", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const file = fileOf("messages.jsonl", [...LINES, { subject: "secret person" }]);

    const refused = await cli(["import", file, "--json"]);

    expect(refused.code).toBe(2);
    expect(documentOf(refused)).toMatchObject({ ok: false, error: { code: "input_file" } });
    expect(refused.stderr).toContain("line 4");
    expect(refused.stderr).not.toContain("secret person");
    expect((await memory.listMemories({ tenantKey })).rows).toEqual([]);
  });
});

/** A person with one copy in a folder of exports, forgotten. */
async function forgottenWithCopy(given: Given) {
  const { cli, memory, tenantKey } = given.tenant();
  const root = mkdtempSync(join(folder, "share-"));
  const { memory: row } = await memory.remember({ tenantKey, subjectKey: "a", text: "copied" });
  let path = "";
  await placeThenWrite({
    memory,
    tenantKey,
    sink: filesystemSink({ name: "share", root }),
    ref: "being-written",
    kind: "file",
    sources: [{ sourceKind: "memory", sourceId: row.memoryId }],
    write: async (tag) => {
      const ref = filesystemPath(tag, "copy.txt");
      path = join(root, ref);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, "copied");
      return ref;
    },
  });
  const { receipt } = documentOf<{ receipt: { tombstoneId: string; state: string } }>(
    await cli(["forget", "--yes", "--json"], { input: "a" }),
  );
  const config = join(mkdtempSync(join(folder, "config-")), "worker.json");
  const sinks = [{ type: "filesystem", name: "share", root }];
  writeFileSync(config, JSON.stringify({ tenants: [tenantKey], sinks, maxAttempts: 5 }));
  return { cli, root, path, config, receipt, tenantKey };
}

describeOnServer("the worker", (given) => {
  test("one round removes a copy, looks for it, and completes the erasure", async () => {
    const { cli, path, config, receipt } = await forgottenWithCopy(given);
    const before = existsSync(path);

    const worked = await cli(["worker", "--once", "--config", config, "--json"]);
    const shown = await cli(["receipt", receipt.tombstoneId, "--format", "json"]);

    expect([receipt.state, before]).toEqual(["in_progress", true]);
    expect(worked.code).toBe(0);
    expect(linesOf(worked)).toContainEqual(
      expect.objectContaining({ event: expect.objectContaining({ type: "copy_confirmed", sink: "share" }) as unknown }),
    );
    expect(linesOf(worked).at(-1)).toMatchObject({ report: { confirmed: 1, completed: 1 } });
    expect(existsSync(path)).toBe(false);
    expect(documentOf(shown)).toMatchObject({ state: "complete", closure: "confirmed" });
  });

  test("a round that a sink fails ends with 4, and says so without a reference", async () => {
    const { cli, config, tenantKey, root } = await forgottenWithCopy(given);
    const gone = join(root, "not-mounted");
    writeFileSync(config, JSON.stringify({ sinks: [{ type: "filesystem", name: "share", root: gone }] }));

    const failed = await cli(["worker", "--once", "--config", config, "--tenant", tenantKey]);

    expect(failed.code).toBe(4);
    expect(failed.stderr).toContain("copy_failed");
    expect(failed.stdout).toContain("1 failed");
    expect(failed.stderr).not.toContain("copy.txt");
  });

  test("copies of a manual sink are left to a person, with 4", async () => {
    const { cli, config, tenantKey } = await forgottenWithCopy(given);
    writeFileSync(config, JSON.stringify({ tenants: [tenantKey], sinks: [{ type: "manual", name: "share" }] }));

    const left = await cli(["worker", "--once", "--config", config]);

    expect(left.code).toBe(4);
    expect(left.stdout).toContain("1 for a person");
  });

  test("a configuration may be a module that brings sinks of its own", async () => {
    const { cli, tenantKey, path } = await forgottenWithCopy(given);
    const config = join(folder, "worker.mjs");
    writeFileSync(
      config,
      `import { rmSync, existsSync } from "node:fs";
       const seen = [];
       export default { tenants: [${JSON.stringify(tenantKey)}], positiveControl: "off", sinks: [{
         name: "share", reaches: "unfindable", whyNotMore: "a test",
         destroy: () => { rmSync(${JSON.stringify(path)}, { force: true }); return Promise.resolve("acknowledged"); },
         readBackById: () => Promise.resolve(existsSync(${JSON.stringify(path)}) ? "present" : "absent"),
         readBackByTag: () => Promise.resolve(existsSync(${JSON.stringify(path)}) ? ["it"] : []),
       }] };`,
    );

    const worked = await cli(["worker", "--once", "--config", config]);

    expect(worked.code).toBe(0);
    expect(worked.stdout).toContain("1 erasures completed");
    expect(existsSync(path)).toBe(false);
  });

  test("copies in a table of another database are deleted there", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    await given.admin.query("create table public.copies (id text primary key, placement_id text, body text)");
    const { memory: row } = await memory.remember({ tenantKey, subjectKey: "a", text: "copied" });
    const { placement } = await memory.recordPlacement({
      tenantKey,
      sink: "copies",
      ref: "row-1",
      kind: "row",
      sources: [{ sourceKind: "memory", sourceId: row.memoryId }],
    });
    await given.admin.query("insert into public.copies values ('row-1', $1, 'copied')", [placement.placementId]);
    await cli(["forget", "--yes"], { input: "a" });
    const config = join(folder, "postgres.json");
    const sink = { type: "postgres", name: "copies", urlEnv: "COPIES_URL", table: "public.copies" };
    writeFileSync(config, JSON.stringify({ sinks: [sink] }));

    const worked = await cli(["worker", "--once", "--config", config], { env: { COPIES_URL: given.adminUrl } });
    const left = await given.admin.query("select count(*)::int as n from public.copies");

    expect(worked.code).toBe(0);
    expect(left.rows).toEqual([{ n: 0 }]);
  });

  test.each([
    ["no configuration", null, "--config"],
    ["no file", undefined, "cannot be read"],
    ["what is not JSON", "{", "not valid JSON"],
    ["a list", "[]", "is not an object"],
    ["an unknown field", `{"sink":[]}`, 'unknown field "sink"'],
    ["no sinks", `{"tenants":["t"]}`, '"sinks"'],
    ["a sink of no type", `{"tenants":["t"],"sinks":[{"name":"x"}]}`, "no known type"],
    ["a sink without a name", `{"tenants":["t"],"sinks":[{"type":"manual"}]}`, 'no "name"'],
    ["a secret that is not set", `{"sinks":[{"type":"postgres","name":"x","urlEnv":"NOT_SET"}]}`, "NOT_SET is not set"],
    ["tenants that are none", `{"tenants":"t","sinks":[{"type":"manual","name":"x"}]}`, '"tenants"'],
    ["no tenant", `{"sinks":[{"type":"manual","name":"x"}]}`, "no tenant"],
  ])("%s ends with 2 and says what was expected", async (_case, content, expected) => {
    const { cli } = given.tenant();
    const config = join(mkdtempSync(join(folder, "wrong-")), "worker.json");
    if (typeof content === "string") writeFileSync(config, content);
    const args = content === null ? [] : ["--config", config];

    const refused = await cli(["worker", "--once", ...args], { env: { DEMYSTIFY_MEMORY_TENANT: "" } });

    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(expected);
  });
});

describeOnServer("metrics", (given) => {
  test("count what is open, of one tenant as its role and of all as a role that sees them, and name no person", async () => {
    const { cli, receipt } = await forgottenWithCopy(given);

    const one = await cli(["metrics", "--prom"]);
    const all = await cli(["metrics", "--prom", "--all-tenants"], { env: { DATABASE_URL: given.adminUrl } });

    expect(receipt.state).toBe("in_progress");
    expect([one.code, all.code]).toEqual([0, 0]);
    expect(one.stdout).toContain('demystify_memory_destructions_unconfirmed{sink="share"} 1');
    expect(all.stdout).toMatch(/^demystify_memory_schema_version \d+$/m);
    expect(one.stdout + all.stdout).not.toMatch(/subject|tenant-/);
  });

  test("of all tenants are refused to a role that does not see them: a number too low is worse than none", async () => {
    const { cli } = given.tenant();

    const refused = await cli(["metrics", "--all-tenants"]);

    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("BYPASSRLS");
  });
});

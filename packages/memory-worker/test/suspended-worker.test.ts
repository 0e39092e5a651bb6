import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Memory, PgMemoryStore } from "../../memory/src/index.js";
import { forgetIncompletely, refOf } from "../../memory/test/support/copies.js";
import { postgresSink, runOnce, type RunReport } from "../src/index.js";
import { createDatabase, describeNativePostgres, type TestDatabase } from "./support/native-database.js";
import { aPlacedCopy } from "./support/placing.js";

const SCRIPT = fileURLToPath(new URL("support/suspended-worker.mjs", import.meta.url));

describeNativePostgres("a worker process that is suspended after its last look, and goes on later,", () => {
  let store: TestDatabase;
  let sink: TestDatabase;
  let memory: Memory;

  beforeAll(async () => {
    store = await createDatabase("migrated");
    sink = await createDatabase();
    memory = new Memory({ store: new PgMemoryStore(store.pool) });
    await sink.pool.query(
      "create table notes (id bigint generated always as identity primary key, placement_id uuid not null, tenant_tag text not null, body text not null)",
    );
  });
  afterAll(async () => {
    await store.drop();
    await sink.drop();
  });

  const write = async (placementId: string) => {
    const { rows } = await sink.pool.query<{ id: string }>(
      "insert into notes (placement_id, tenant_tag, body) values ($1, '', 'what was said') returning id",
      [placementId],
    );
    return rows[0]?.id ?? "";
  };
  const rowsLeft = async (placementId: string) =>
    (await sink.pool.query("select from notes where placement_id = $1", [placementId])).rowCount;
  const leaseRunsOut = () =>
    store.pool.query("update demystify_memory.placement_lease set leased_until = now() - interval '1 hour'");
  const another = (tenantKey: string) =>
    runOnce({
      memory,
      sinks: [
        postgresSink({ name: "second", db: sink.pool, table: "notes", controlRow: { body: "", tenant_tag: "" } }),
      ],
      tenantKeys: [tenantKey],
      resumeAfterSeconds: 0,
    });

  async function anErasure() {
    const tenantKey = `tenant-${randomUUID()}`;
    const copy = await aPlacedCopy(memory, tenantKey, { sink: "second", write: (tag) => write(tag.placementId) });
    const erasure = refOf(await forgetIncompletely(memory, { tenantKey, subjectKey: "customer:ramesh" }));
    return { ...copy, tenantKey, erasure };
  }

  /** Runs a round in a process of its own; `meanwhile` happens while that process is suspended. */
  async function suspended(tenantKey: string, meanwhile: () => Promise<unknown>): Promise<RunReport> {
    const env = { PATH: process.env["PATH"], MEMORY_URL: store.url, SINK_URL: sink.url, TENANT: tenantKey };
    const child = spawn(process.execPath, [SCRIPT], { env, stdio: ["pipe", "pipe", "inherit"] });
    let said = "";
    const aboutToConfirm = new Promise<void>((resolve) => {
      child.stdout.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes("about to confirm")) resolve();
      });
    });
    const closed = new Promise((resolve) => child.once("close", resolve));
    await Promise.race([aboutToConfirm, closed]);
    expect(said).toContain("about to confirm");
    // Stopped from here: a process that stops itself might do so after it was told to go on.
    child.kill("SIGSTOP");
    try {
      await meanwhile();
    } finally {
      child.stdin.end();
      child.kill("SIGCONT");
    }
    await closed;
    return JSON.parse(said.trim().split("\n").at(-1) ?? "") as RunReport;
  }

  test("past its lease confirms nothing, because what it saw may not be so any more", async () => {
    const { tenantKey, erasure, placementId } = await anErasure();

    const report = await suspended(tenantKey, async () => {
      await leaseRunsOut();
      // Nobody reports this: a snapshot of the sink was restored.
      await write(placementId);
    });

    expect(report).toMatchObject({ confirmed: 0, waiting: 1, errors: 0 });
    expect(await memory.erasures.status(erasure)).toMatchObject({ state: "in_progress" });
    expect(await another(tenantKey)).toMatchObject({ confirmed: 1, completed: 1 });
    expect(await rowsLeft(placementId)).toBe(0);
  });

  test("while a writer reports the copy anew confirms nothing, though its lease was long enough", async () => {
    const { tenantKey, erasure, placementId } = await anErasure();

    const report = await suspended(tenantKey, async () => {
      const ref = await write(placementId);
      await memory.placements.written({ tenantKey, placementId, ref }).catch(() => undefined);
    });

    expect(report).toMatchObject({ confirmed: 0, waiting: 1, errors: 0 });
    expect(await memory.erasures.status(erasure)).toMatchObject({ state: "in_progress" });
    expect(await another(tenantKey)).toMatchObject({ confirmed: 1, completed: 1 });
    expect(await rowsLeft(placementId)).toBe(0);
  });

  test("while another one finishes leaves what that one recorded as it is", async () => {
    const { tenantKey, erasure } = await anErasure();

    const report = await suspended(tenantKey, async () => {
      await leaseRunsOut();
      expect(await another(tenantKey)).toMatchObject({ confirmed: 1, completed: 1 });
    });

    expect(report).toMatchObject({ confirmed: 0, completed: 0, errors: 0 });
    expect(await memory.erasures.status(erasure)).toMatchObject({
      state: "complete",
      counts: { placements: { total: 1, confirmed: 1 } },
    });
  });
});

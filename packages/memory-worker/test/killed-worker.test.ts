import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Memory, PgMemoryStore } from "../../memory/src/index.js";
import { postgresSink, runOnce } from "../src/index.js";
import { createDatabase, describeNativePostgres, type TestDatabase } from "./support/native-database.js";
import { aPlacedCopy } from "./support/placing.js";

const SCRIPT = fileURLToPath(new URL("support/killed-worker.mjs", import.meta.url));

describeNativePostgres("a worker process that is killed", () => {
  let store: TestDatabase;
  let sink: TestDatabase;

  beforeAll(async () => {
    store = await createDatabase("migrated");
    sink = await createDatabase();
    await sink.pool.query(
      "create table notes (id bigint generated always as identity primary key, placement_id uuid not null, tenant_tag text not null, body text not null)",
    );
  });
  afterAll(async () => {
    await store.drop();
    await sink.drop();
  });

  const newMemory = () => new Memory({ store: new PgMemoryStore(store.pool) });

  /** Two copies of a person whose erasure is open and not yet destroyed. */
  async function anOpenErasure(tenantKey: string) {
    const memory = newMemory();
    const write = async (tag: { readonly placementId: string; readonly tenantTag: string }) => {
      const { rows } = await sink.pool.query<{ id: string }>(
        "insert into notes (placement_id, tenant_tag, body) values ($1, $2, 'what was said') returning id",
        [tag.placementId, tag.tenantTag],
      );
      return rows[0]?.id ?? "";
    };
    for (let copy = 0; copy < 2; copy++) await aPlacedCopy(memory, tenantKey, { sink: "second", write });
    return memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });
  }

  /** Runs one round in a process of its own; answers the statement it died at, or `null` if it lived. */
  async function killedAt(tenantKey: string, statement: number, when: string): Promise<string | null> {
    const env = {
      PATH: process.env["PATH"],
      MEMORY_URL: store.url,
      SINK_URL: sink.url,
      TENANT: tenantKey,
      KILL_AT: String(statement),
      KILL_WHEN: when,
    };
    const child = spawn(process.execPath, [SCRIPT], { env, stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const signal = await new Promise((resolve) => child.once("close", (_code, how) => resolve(how)));
    if (signal === "SIGKILL") return said.trim();
    expect(said).toContain("survived");
    return null;
  }

  async function finish(tenantKey: string) {
    // The dead process's lease is over.
    await store.pool.query("update demystify_memory.placement_lease set leased_until = now() - interval '1 second'");
    return runOnce({
      memory: newMemory(),
      sinks: [
        postgresSink({ name: "second", db: sink.pool, table: "notes", controlRow: { body: "", tenant_tag: "" } }),
      ],
      tenantKeys: [tenantKey],
      resumeAfterSeconds: 0,
    });
  }

  async function events(tenantKey: string): Promise<readonly string[]> {
    const { rows } = await store.pool.query<{ event: string }>(
      "select event from demystify_memory.erasure_event where tenant_key = $1 and event in ('confirmed', 'completed') order by event",
      [tenantKey],
    );
    return rows.map(({ event }) => event);
  }

  test.each(["before", "after"])(
    "is followed by one that finishes, each copy confirmed once and the erasure completed once, whatever statement it died %s",
    { timeout: 240_000 },
    async (when) => {
      const deaths: string[] = [];
      for (let statement = 0; ; statement++) {
        const tenantKey = `tenant-${randomUUID()}`;
        const { tombstoneId } = await anOpenErasure(tenantKey);

        const died = await killedAt(tenantKey, statement, when);
        const report = await finish(tenantKey);

        const receipt = await newMemory().erasures.status({ tenantKey, tombstoneId });
        expect(receipt, `${when} ${died ?? "nothing"}`).toMatchObject({ state: "complete", closure: "confirmed" });
        expect(await events(tenantKey), `${when} ${died ?? "nothing"}`).toEqual([
          "completed",
          "confirmed",
          "confirmed",
        ]);
        expect(report.errors).toBe(0);
        if (died === null) break;
        deaths.push(died);
      }

      expect((await sink.pool.query("select from notes where body <> ''")).rowCount).toBe(0);
      expect(deaths).toEqual(
        expect.arrayContaining([
          "memory list_erasures",
          "memory advance_erasure",
          "memory outstanding",
          "sink select",
          "sink delete",
          "memory confirm_placement",
        ]),
      );
    },
  );
});

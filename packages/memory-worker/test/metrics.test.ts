import { describe, expect, test } from "vitest";
import { Memory, PgMemoryStore } from "../../memory/src/index.js";
import { describeEachStore } from "../../memory/test/support/stores.js";
import { prometheusText, prometheusTextFrom, runOnce, SinkError, WorkerCounters } from "../src/index.js";
import { createDatabase, describeNativePostgres } from "./support/native-database.js";
import { anErasureWithACopy, listening } from "./support/placing.js";
import { Shelf, shelfSink } from "./support/shelf.js";

/** The samples of a text, by name and labels; fails on a line that is not of the format. */
function samplesOf(text: string): Record<string, number> {
  const samples: Record<string, number> = {};
  for (const line of text.trimEnd().split("\n")) {
    if (line.startsWith("# HELP ") || line.startsWith("# TYPE ")) continue;
    const [, name, value] = /^(demystify_memory_[a-z_]+(?:\{[^{}]*\})?) (-?[\d.]+)$/.exec(line) ?? [];
    expect(name, line).toBeDefined();
    samples[name ?? ""] = Number(value);
  }
  return samples;
}

describeEachStore("the metrics of some tenants", (given) => {
  test("count what is open and which sinks it waits for, and name neither a person nor a tenant", async () => {
    const { memory, tenantKey } = await given.tenant();
    const other = await given.tenant();
    await anErasureWithACopy(memory, tenantKey, new Shelf());
    const stuck = await anErasureWithACopy(memory, other.tenantKey, new Shelf());
    await memory.erasures.escalate({ ...stuck.erasure, code: "sink_refuses" });

    const text = await prometheusTextFrom({ memory, tenantKeys: [tenantKey, other.tenantKey] });

    expect(samplesOf(text)).toMatchObject({
      'demystify_memory_erasures_open{state="in_progress"}': 1,
      'demystify_memory_erasures_open{state="escalated"}': 1,
      'demystify_memory_destructions_unconfirmed{sink="shelf"}': 2,
    });
    expect(text).not.toContain(tenantKey);
    expect(text).not.toContain("ramesh");
  });

  test("of nothing are zeros, and a tenant that cannot be read is an error and not a zero", async () => {
    const { memory, tenantKey } = await given.tenant();

    expect(samplesOf(await prometheusTextFrom({ memory, tenantKeys: [tenantKey] }))).toEqual({
      'demystify_memory_erasures_open{state="in_progress"}': 0,
      'demystify_memory_erasures_open{state="escalated"}': 0,
      demystify_memory_erasure_oldest_open_seconds: 0,
    });
    await expect(prometheusTextFrom({ memory, tenantKeys: [""] })).rejects.toMatchObject({ code: "ERR_INVALID_INPUT" });
  });
});

describeNativePostgres("the metrics of an installation", () => {
  test("count every tenant's erasures, attempts and late writes", async () => {
    const database = await createDatabase("migrated");
    try {
      const memory = new Memory({ store: new PgMemoryStore(database.pool) });
      const shelf = new Shelf();
      await anErasureWithACopy(memory, "acme", shelf);
      const done = await anErasureWithACopy(memory, "globex", shelf);
      const down = shelfSink(shelf, { destroy: async () => Promise.reject(new SinkError("unavailable")) });
      await runOnce(listening({ memory, sinks: [down], tenantKeys: ["acme"], maxAttempts: 1 }).options);
      await runOnce(listening({ memory, sinks: [shelfSink(shelf)], tenantKeys: ["globex"] }).options);
      const late = memory.placements.written({ tenantKey: "globex", placementId: done.placementId, ref: "back" });
      await expect(late).rejects.toMatchObject({ code: "ERR_SOURCE_FORGOTTEN" });

      const text = await prometheusText(database.pool);

      expect(samplesOf(text)).toMatchObject({
        'demystify_memory_erasures_open{state="in_progress"}': 1,
        'demystify_memory_erasures_open{state="escalated"}': 1,
        'demystify_memory_destructions_unconfirmed{sink="shelf"}': 2,
        'demystify_memory_destruction_attempts_total{sink="shelf",outcome="failed"}': 1,
        'demystify_memory_destruction_attempts_total{sink="shelf",outcome="confirmed"}': 1,
        demystify_memory_late_writes_total: 1,
        demystify_memory_provenance_unknown_ratio: 0,
        demystify_memory_schema_version: 1,
      });
      expect(text).not.toMatch(/acme|globex|ramesh/);
    } finally {
      await database.drop();
    }
  });

  test("a role that sees one tenant only is refused, instead of being told that nothing is open", async () => {
    const database = await createDatabase("migrated");
    const role = `metrics_${Math.random().toString(36).slice(2, 10)}`;
    const client = await database.pool.connect();
    try {
      await client.query(`create role ${role}; grant usage on schema demystify_memory to ${role};
        grant select on all tables in schema demystify_memory to ${role}; set role ${role}`);

      await expect(prometheusText(client)).rejects.toMatchObject({ code: "ERR_INSTALL" });

      await client.query(`reset role; revoke usage on schema demystify_memory from ${role}`);
    } finally {
      await client.query(`drop owned by ${role}; drop role ${role}`);
      client.release(true);
      await database.drop();
    }
  });

  test("where nothing is installed it says so", async () => {
    const database = await createDatabase();
    try {
      await expect(prometheusText(database.pool)).rejects.toMatchObject({ code: "ERR_INSTALL" });
    } finally {
      await database.drop();
    }
  });
});

describe("the counters of a worker", () => {
  test("add up what it tells", () => {
    const counters = new WorkerCounters({ now: () => 1_700_000_000_000 });
    const of = { tenantKey: "acme", tombstoneId: "t", placementId: "p", sink: "cache" };

    counters.record({ type: "copy_failed", ...of, code: "timeout", attempts: 1, retryInSeconds: 2 });
    counters.record({ type: "copy_failed", ...of, code: "timeout", attempts: 2, retryInSeconds: 4 });
    counters.record({ type: "copy_confirmed", ...of, proof: "unfindable" });
    counters.record({ type: "copy_waits", ...of, for: "writer", retryInSeconds: 1 });
    const swept = { type: "sink_swept", tenantKey: "acme", sink: "cache", orphans: 2, resurrections: 1 } as const;
    counters.record({ ...swept, verdict: "residue", failed: false });

    const text = counters.prometheusText();
    expect(samplesOf(text)).toEqual({
      'demystify_memory_worker_copies_total{sink="cache",outcome="confirmed"}': 1,
      'demystify_memory_worker_copies_total{sink="cache",outcome="timeout"}': 2,
      'demystify_memory_residue_found_total{sink="cache"}': 3,
      demystify_memory_sweep_last_success_timestamp_seconds: 1_700_000_000,
    });
    expect(text).not.toContain("acme");
  });

  test("a sweep that failed is no success", () => {
    const counters = new WorkerCounters();
    const swept = { type: "sink_swept", tenantKey: "acme", sink: "cache", orphans: 0, resurrections: 0 } as const;

    counters.record({ ...swept, verdict: "unchecked", failed: true });

    expect(Object.keys(samplesOf(counters.prometheusText()))).not.toContain(
      "demystify_memory_sweep_last_success_timestamp_seconds",
    );
  });
});

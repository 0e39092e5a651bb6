import { existsSync } from "node:fs";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { startCluster } from "./native-postgres.js";
import type { Cluster } from "./native-postgres.js";
import { guard } from "./guarded-folder.js";

describe("a Postgres of our own", () => {
  let cluster: Cluster | undefined;
  afterEach(async () => {
    await cluster?.remove();
  });

  test("comes back after a crash with what was committed, and leaves nothing when removed", async () => {
    cluster = await startCluster({ settings: { work_mem: "5MB" } });
    await query(cluster, "create table kept (value text)");
    await query(cluster, "insert into kept values ('committed')");

    await cluster.kill();
    await cluster.start();

    expect(await query(cluster, "select value from kept")).toEqual([{ value: "committed" }]);
    expect(await query(cluster, "show work_mem")).toEqual([{ work_mem: "5MB" }]);
    await cluster.remove();
    expect(existsSync(cluster.root)).toBe(false);
  });

  test("does not outlive the process that started it", async () => {
    cluster = await startCluster();
    const running = cluster;

    guard(running.root)();

    await expect.poll(() => existsSync(running.root), { timeout: 10_000 }).toBe(false);
    await expect(query(running, "select 1")).rejects.toThrow();
  });

  test("two of them run side by side", async () => {
    cluster = await startCluster();
    const other = await startCluster();
    try {
      expect(other.port).not.toBe(cluster.port);
      expect(await query(other, "select 1 as one")).toEqual([{ one: 1 }]);
    } finally {
      await other.remove();
    }
  });
});

async function query(cluster: Cluster, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: cluster.url() });
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}

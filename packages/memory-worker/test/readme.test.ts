import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Memory, PgMemoryStore } from "@demystify/memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  chromaSink,
  elasticsearchSink,
  filesystemSink,
  httpSink,
  lanceDbSink,
  langGraphSink,
  manualSink,
  pineconeSink,
  postgresSink,
  qdrantSink,
  redisSink,
  s3Sink,
  type Sink,
} from "../src/index.js";
import { copying } from "./examples/readme.js";
import { createDatabase, describeNativePostgres, type TestDatabase } from "./support/native-database.js";

const textOf = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
const README = textOf("../README.md");

/** A region of the example, without the indentation it has there. */
function region(name: string): string {
  const lines = textOf("examples/readme.ts").split("\n");
  const start = lines.findIndex((line) => line.trim() === `// #region ${name}`);
  const end = lines.findIndex((line, index) => index > start && line.trim() === "// #endregion");
  const body = lines.slice(start + 1, end);
  const indent = Math.min(...body.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)));
  return body.map((line) => line.slice(indent)).join("\n");
}

describe("the README", () => {
  test.each(["sink", "write", "worker"])("shows the code that is run here (%s)", (name) => {
    expect(README).toContain(region(name));
  });

  // What is not called does not matter for what a sink says of itself.
  const any = {} as never;
  const secret = "a secret of more than thirty-two bytes";
  const url = "https://crm.example/erase";
  const purge = { dataFolder: "/data", vacuum: () => Promise.resolve() };
  test.each<[string, Sink]>([
    ["postgresSink", postgresSink({ name: "s", db: any, table: "t" })],
    ["redisSink", redisSink({ name: "s", client: any })],
    ["redisSink` with `rewrite", redisSink({ name: "s", client: any, rewrite: true })],
    ["s3Sink", s3Sink({ name: "s", s3: any, bucket: "b" })],
    ["filesystemSink", filesystemSink({ name: "s", root: "/exports" })],
    ["chromaSink", chromaSink({ name: "s", collection: any })],
    ["chromaSink` with `purge", chromaSink({ name: "s", collection: any, purge })],
    ["lanceDbSink", lanceDbSink({ name: "s", open: any })],
    ["qdrantSink", qdrantSink({ name: "s", client: any, collection: "c" })],
    ["elasticsearchSink", elasticsearchSink({ name: "s", client: any, index: "i" })],
    ["pineconeSink", pineconeSink({ name: "s", index: any })],
    ["langGraphSink", langGraphSink({ name: "s", saver: any })],
    ["httpSink", httpSink({ name: "s", url, secret })],
    ["httpSink` with `findsByTag", httpSink({ name: "s", url, secret, findsByTag: true })],
    ["manualSink", manualSink({ name: "s" })],
  ])("says of `%s` what the sink says of itself", (factory, sink) => {
    const reaches = sink.manual === true ? "nothing by itself" : `\`${sink.reaches}\``;
    expect(README).toContain(`| \`${factory}\` | ${reaches} | ${sink.whyNotMore} |`);
  });
});

describeNativePostgres("the code of the README", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase("migrated");
    await database.pool.query(`create table vectors (
      id bigint generated always as identity primary key,
      placement_id uuid not null, tenant_tag text not null, embedding real[] not null)`);
  });
  afterAll(() => database.drop());

  test("writes a copy, and its worker finishes the erasure of the person", async () => {
    const memory = new Memory({ store: new PgMemoryStore(database.pool) });
    const events: string[] = [];
    const { write, work } = copying(memory, "acme", database.pool, ({ type }) => events.push(type));
    const { memory: row } = await memory.remember({ tenantKey: "acme", subjectKey: "customer:ramesh", text: "hello" });

    expect(await write(row.memoryId)).toBe("written");
    const { worker, ended } = work();
    const forgetting = memory.forget({ tenantKey: "acme", subjectKey: "customer:ramesh" });
    await expect(forgetting).rejects.toMatchObject({ code: "ERR_FORGET_INCOMPLETE" });
    await worker.runOnce();
    await worker.stop();
    await ended;

    expect(events).toContain("erasure_completed");
    expect((await database.pool.query("select from vectors")).rowCount).toBe(0);
  });
});

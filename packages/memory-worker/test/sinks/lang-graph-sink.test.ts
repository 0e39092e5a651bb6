import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { langGraphMetadata, langGraphSink, tagOf, type CopyTag, type LangGraphSaver } from "../../src/index.js";
import { sinkConformanceCases } from "../../src/testing/index.js";
import { createDatabase, describeNativePostgres, type TestDatabase } from "../support/native-database.js";
import { realPackage, realSinksAreMissing } from "../support/real-sinks.js";
import { describeWhere } from "../support/where-available.js";

interface Saver extends LangGraphSaver {
  setup?(): Promise<void>;
  putWrites(config: unknown, writes: unknown[], taskId: string): Promise<void>;
}

interface SaverModule {
  readonly MemorySaver: new () => Saver;
}

interface PostgresSaverModule {
  readonly PostgresSaver: { fromConnString(url: string): Saver & { end(): Promise<void> } };
}

const call = { signal: AbortSignal.timeout(600_000) };
const missing = await realSinksAreMissing();

async function write(saver: Saver, tag: CopyTag, text: string, thread = `thread-${randomUUID()}`): Promise<string> {
  const checkpoint = {
    v: 4,
    id: `1ef00000-0000-6000-8000-${randomUUID().slice(-12)}`,
    ts: new Date().toISOString(),
    channel_values: { messages: text },
    channel_versions: { messages: 1 },
    versions_seen: {},
  };
  const metadata = { source: "loop", step: 1, parents: {}, ...langGraphMetadata(tag) };
  const config = { configurable: { thread_id: thread, checkpoint_ns: "" } };
  await saver.put(config, checkpoint as never, metadata as never, { messages: 1 } as never);
  return thread;
}

function casesOf(saver: () => Saver): void {
  const cases = sinkConformanceCases({
    createSink: () => langGraphSink({ name: "threads", saver: saver() }),
    write: (_sink, tag, text) => write(saver(), tag, text),
  });
  for (const { name, run } of cases) test(name, run);

  test("a step that is stored after its thread was deleted brings it back, and is seen", async () => {
    const sink = langGraphSink({ name: "threads", saver: saver() });
    const copy = { tenantKey: "acme", placementId: randomUUID(), kind: "thread" };
    const ref = await write(saver(), tagOf(copy), "what was said");
    await sink.destroy({ ...copy, ref }, call);

    await write(saver(), tagOf(copy), "what was said", ref);

    expect(await sink.readBackById?.({ ...copy, ref }, call)).toBe("present");
    expect(await sink.readBackByTag?.(tagOf(copy), call)).toEqual([ref]);
  });
}

describeWhere(missing, "the langgraph sink, on the saver in memory", () => {
  let saver: Saver;
  beforeAll(async () => {
    const { MemorySaver } = await realPackage<SaverModule>("@langchain/langgraph-checkpoint/dist/index.js");
    saver = new MemorySaver();
  });
  casesOf(() => saver);
});

describeNativePostgres("the langgraph sink, on the saver in Postgres", () => {
  describeWhere(missing, "the saver", () => {
    let database: TestDatabase;
    let saver: Saver & { end(): Promise<void> };
    beforeAll(async () => {
      database = await createDatabase();
      const module = "@langchain/langgraph-checkpoint-postgres/dist/index.js";
      const { PostgresSaver } = await realPackage<PostgresSaverModule>(module);
      saver = PostgresSaver.fromConnString(database.url);
      await saver.setup?.();
    });
    afterAll(async () => {
      await saver.end();
      await database.drop();
    });
    casesOf(() => saver);

    test("writes of a step that ends late are stored and not shown, so it does not say purged", async () => {
      const sink = langGraphSink({ name: "threads", saver });
      const copy = { tenantKey: "acme", placementId: randomUUID(), kind: "thread" };
      const ref = await write(saver, tagOf(copy), "what was said");
      await sink.destroy({ ...copy, ref }, call);

      const config = { configurable: { thread_id: ref, checkpoint_ns: "", checkpoint_id: randomUUID() } };
      await saver.putWrites(config, [["messages", "said late"]], randomUUID());

      expect(await sink.readBackById?.({ ...copy, ref }, call)).toBe("absent");
      const stored = await database.pool.query("select from checkpoint_writes where thread_id = $1", [ref]);
      expect(stored.rowCount).toBe(1);
      expect(sink.reaches).toBe("unfindable");
    });
  });
});

describe("the langgraph sink", () => {
  test("a checkpointer that lists what it cannot name is a failure and not an absence", async () => {
    const saver = {
      getTuple: async () => undefined,
      list: async function* () {
        yield { config: {} };
      },
      deleteThread: async () => undefined,
      put: async () => undefined,
    };
    const tag = { placementId: randomUUID(), tenantTag: "t" };

    await expect(langGraphSink({ name: "threads", saver }).readBackByTag?.(tag, call)).rejects.toMatchObject({
      code: "ERR_SINK_OTHER",
    });
  });
});

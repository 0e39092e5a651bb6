import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromaMetadata, chromaSink, tagOf, type ChromaCollection } from "../../src/index.js";
import { sinkConformanceCases } from "../../src/testing/index.js";
import { startChroma, type ChromaServer } from "../support/chroma-server.js";
import { realPackage, realSinksAreMissing } from "../support/real-sinks.js";
import { describeWhere } from "../support/where-available.js";

interface Collection extends ChromaCollection {
  upsert(args: {
    ids: string[];
    embeddings: number[][];
    metadatas: Record<string, string>[];
    documents?: string[];
  }): Promise<unknown>;
}

interface ChromaModule {
  readonly ChromaClient: new (options: { host: string; port: number }) => {
    createCollection(options: Readonly<Record<string, unknown>>): Promise<Collection>;
  };
}

const call = { signal: AbortSignal.timeout(600_000) };

describeWhere(await realSinksAreMissing(), "the chroma sink, on a real server", () => {
  let server: ChromaServer;
  let client: InstanceType<ChromaModule["ChromaClient"]>;
  let collection: Collection;

  beforeAll(async () => {
    server = await startChroma();
    const { ChromaClient } = await realPackage<ChromaModule>("chromadb/dist/chromadb.mjs");
    client = new ChromaClient({ host: "127.0.0.1", port: server.port });
    // The log is purged as far as the vector index is written, which a low threshold makes happen early.
    const configuration = { hnsw: { sync_threshold: 3, batch_size: 2 } };
    collection = await client.createCollection({ name: "notes", embeddingFunction: null, configuration });
  });
  afterAll(() => server.remove());

  const write = async (tag: Parameters<typeof chromaMetadata>[0], text: string, into = collection) => {
    const id = randomUUID();
    const metadatas: Record<string, string>[] = [chromaMetadata(tag)];
    await into.upsert({ ids: [id], embeddings: [[1, 2, 3]], documents: [text], metadatas });
    return id;
  };
  const vacuum = async () => server.vacuum();

  describe("as it is", () => {
    const cases = sinkConformanceCases({
      createSink: () => chromaSink({ name: "vectors", collection, controlVector: [1, 0, 0] }),
      write: (_sink, tag, text) => write(tag, text),
    });
    for (const { name, run } of cases) test(name, run);
  });

  describe("with its log purged", () => {
    const cases = sinkConformanceCases({
      createSink: () =>
        chromaSink({
          name: "vectors",
          collection,
          controlVector: [1, 0, 0],
          purge: { dataFolder: server.dataFolder, vacuum },
        }),
      write: (_sink, tag, text) => write(tag, text),
      dump: () => server.dump(),
    });
    for (const { name, run } of cases) test(name, run);
  });

  test("after an acknowledged delete the log keeps the text, so without a purge it does not say purged", async () => {
    const sink = chromaSink({ name: "vectors", collection });
    const copy = { tenantKey: "acme", placementId: randomUUID(), kind: "embedding" };
    const ref = await write(tagOf(copy), "needleinthelog");

    await sink.destroy({ ...copy, ref }, call);

    expect(await sink.readBackById?.({ ...copy, ref }, call)).toBe("absent");
    expect(server.dump()).toContain("needleinthelog");
    expect(sink.reaches).toBe("unfindable");
  });

  test("where a vacuum does not reach the log, the purge says that something is left", async () => {
    const slow = await client.createCollection({ name: "slow-notes", embeddingFunction: null });
    const sink = chromaSink({ name: "vectors", collection: slow, purge: { dataFolder: server.dataFolder, vacuum } });
    const copy = { tenantKey: "acme", placementId: randomUUID(), kind: "embedding" };
    const ref = await write(tagOf(copy), "needlethatstays", slow);
    await sink.destroy({ ...copy, ref }, call);

    const left = await sink.purge?.({ ...copy, ref }, call);

    expect(left).toBe("present");
    expect(server.dump()).toContain("needlethatstays");
  });
});

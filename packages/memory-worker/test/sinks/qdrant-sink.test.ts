import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { qdrantPayload, qdrantSink, tagOf } from "../../src/index.js";
import { sinkConformanceCases } from "../../src/testing/index.js";
import { QdrantCollection } from "../support/fakes/qdrant-collection.js";

const call = { signal: new AbortController().signal };
const optionsOf = (client: QdrantCollection) => ({
  name: "vectors",
  client,
  collection: "notes",
  controlVector: [1, 0],
});

describe("the qdrant sink, on a fake of a collection", () => {
  const shared = new QdrantCollection();
  const cases = sinkConformanceCases({
    createSink: () => qdrantSink(optionsOf(shared)),
    write: async (_sink, tag) => {
      const id = randomUUID();
      shared.points.set(id, qdrantPayload(tag));
      return id;
    },
  });
  for (const { name, run } of cases) test(name, run);

  test("a delete that is only acknowledged is not taken for done", async () => {
    const client = new QdrantCollection();
    client.deferred = true;
    const copy = { tenantKey: "acme", placementId: randomUUID(), ref: "42", kind: "embedding" };
    client.points.set(42, qdrantPayload(tagOf(copy)));
    const sink = qdrantSink(optionsOf(client));

    const promise = await sink.destroy(copy, call);

    expect(promise).toBe("requested");
    expect(await sink.readBackById?.(copy, call)).toBe("present");
  });

  test("a number is found under its text", async () => {
    const client = new QdrantCollection();
    const copy = { tenantKey: "acme", placementId: randomUUID(), ref: "42", kind: "embedding" };
    client.points.set(42, {});
    const sink = qdrantSink(optionsOf(client));

    const before = await sink.readBackById?.(copy, call);
    await sink.destroy(copy, call);

    expect(before).toBe("present");
    expect(client.points.size).toBe(0);
  });

  test("an answer that is lost is a time-out, and destroying once more finishes it", async () => {
    const client = new QdrantCollection();
    client.loseNextAnswer = true;
    const copy = { tenantKey: "acme", placementId: randomUUID(), ref: randomUUID(), kind: "embedding" };
    client.points.set(copy.ref, qdrantPayload(tagOf(copy)));
    const sink = qdrantSink(optionsOf(client));

    await expect(sink.destroy(copy, call)).rejects.toMatchObject({ name: "TimeoutError" });
    await sink.destroy(copy, call);

    expect(await sink.readBackById?.(copy, call)).toBe("absent");
  });
});

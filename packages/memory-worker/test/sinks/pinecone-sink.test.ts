import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { pineconeId, pineconeSink } from "../../src/index.js";
import { sinkConformanceCases } from "../../src/testing/index.js";
import { PineconeNamespace } from "../support/fakes/pinecone-namespace.js";

const call = { signal: new AbortController().signal };

describe("the pinecone sink, on a fake of a namespace whose reads are behind", () => {
  const shared = new PineconeNamespace(30);
  const cases = sinkConformanceCases({
    createSink: () => pineconeSink({ name: "vectors", index: shared, settleSeconds: 0.06, controlVector: [1, 0] }),
    write: async (_sink, tag) => {
      const id = pineconeId(tag, randomUUID());
      await shared.upsert({ records: [{ id, values: [1, 2] }] });
      return id;
    },
  });
  for (const { name, run } of cases) test(name, run);

  test("with reads further behind than it says, the kit finds it out", async () => {
    const slow = new PineconeNamespace(80);
    const [gone] = sinkConformanceCases({
      createSink: () => ({ ...pineconeSink({ name: "vectors", index: slow, settleSeconds: 0.001 }) }),
      write: async (_sink, tag) => {
        const id = pineconeId(tag, randomUUID());
        await slow.upsert({ records: [{ id, values: [1, 2] }] });
        return id;
      },
    }).filter(({ name }) => name === "a copy that was destroyed is gone, and stays so");

    await expect(gone?.run()).rejects.toMatchObject({ name: "SinkConformanceFailure" });
  });

  test("an id without a tag is listed without a placement", async () => {
    const index = new PineconeNamespace();
    await index.upsert({ records: [{ id: "0123456789abcdef01234567#", values: [1] }] });

    const listed = [];
    const sink = pineconeSink({ name: "vectors", index });
    for await (const entry of sink.enumerate?.("0123456789abcdef01234567", call) ?? []) listed.push(entry);

    expect(listed).toEqual([{ ref: "0123456789abcdef01234567#", placementId: "" }]);
  });
});

import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { elasticsearchFields, elasticsearchSink, tagOf } from "../../src/index.js";
import { sinkConformanceCases } from "../../src/testing/index.js";
import { SearchIndex } from "../support/fakes/search-index.js";

const call = { signal: new AbortController().signal };

function aCopy() {
  return { tenantKey: "acme", placementId: randomUUID(), ref: randomUUID(), kind: "document" };
}

for (const dialect of ["elasticsearch", "opensearch"] as const) {
  describe(`the ${dialect} sink, on a fake of an index`, () => {
    const sinkOn = (client: SearchIndex) => elasticsearchSink({ name: "search", client, index: "notes", dialect });
    const shared = new SearchIndex(dialect);
    const cases = sinkConformanceCases({
      createSink: () => sinkOn(shared),
      write: async (_sink, tag, text) => {
        const id = randomUUID();
        shared.write(id, { ...elasticsearchFields(tag), text });
        return id;
      },
    });
    for (const { name, run } of cases) test(name, run);

    test("a document that no search sees yet is deleted too", async () => {
      const client = new SearchIndex(dialect);
      const copy = aCopy();
      client.write(copy.ref, elasticsearchFields(tagOf(copy)));

      await sinkOn(client).destroy(copy, call);

      expect(await sinkOn(client).readBackById?.(copy, call)).toBe("absent");
    });

    test("a conflict in a good answer is tried again, and never taken for done", async () => {
      const client = new SearchIndex(dialect);
      const copy = aCopy();
      client.write(copy.ref, elasticsearchFields(tagOf(copy)));
      client.conflicts = 2;
      await sinkOn(client).destroy(copy, call);
      client.write(copy.ref, elasticsearchFields(tagOf(copy)));
      client.conflicts = 3;

      await expect(sinkOn(client).destroy(copy, call)).rejects.toMatchObject({ code: "ERR_SINK_UNAVAILABLE" });

      expect(await sinkOn(client).readBackById?.(copy, call)).toBe("present");
    });

    test("a shard that did not answer is a failure and not an absence", async () => {
      const client = new SearchIndex(dialect);
      client.failShard = true;

      await expect(sinkOn(client).readBackByTag?.(tagOf(aCopy()), call)).rejects.toMatchObject({
        code: "ERR_SINK_UNAVAILABLE",
      });
    });
  });
}

import { Memory } from "@mastra/memory";
import { PgVector, PostgresStore } from "@mastra/pg";
import { embed } from "./embedder.mjs";

/** Mastra's memory with semantic recall, its index as it comes. A person has one thread; to erase is to delete it. */
export async function open({ url }) {
  const storage = new PostgresStore({ id: "bench-store", connectionString: url });
  const vector = new PgVector({ id: "bench-vector", connectionString: url });
  const memory = new Memory({
    storage,
    vector,
    embedder: {
      specificationVersion: "v2",
      provider: "bench",
      modelId: "words",
      maxEmbeddingsPerCall: 1000,
      supportsParallelCalls: true,
      doEmbed: async ({ values }) => ({ embeddings: values.map(embed), usage: { tokens: 0 } }),
    },
    options: { lastMessages: false, semanticRecall: { topK: 10, messageRange: 0, scope: "resource" } },
  });
  await storage.init();
  let time = Date.parse("2026-01-01T00:00:00Z");
  return {
    put: async (user, texts) => {
      const threadId = `thread-${user}`;
      if (!(await memory.getThreadById({ threadId }))) await memory.createThread({ threadId, resourceId: user });
      await memory.saveMessages({
        messages: texts.map((text) => ({
          id: crypto.randomUUID(),
          threadId,
          resourceId: user,
          role: "user",
          createdAt: new Date((time += 1000)),
          content: { format: 2, parts: [{ type: "text", text }] },
        })),
      });
    },
    search: async (user, query) => {
      const { messages } = await memory.recall({
        threadId: `thread-${user}`,
        resourceId: user,
        perPage: 0,
        vectorSearchString: query,
      });
      return messages.length;
    },
    erase: async (user) => {
      await memory.deleteThread(`thread-${user}`);
      await memory.settled();
    },
    close: async () => {
      await vector.disconnect();
      await storage.close();
    },
  };
}

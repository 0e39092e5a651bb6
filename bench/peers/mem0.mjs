import { readdirSync } from "node:fs";
import { join } from "node:path";
import { embeddings, DIMENSIONS } from "./embedder.mjs";

/** mem0 with pgvector, told not to infer: what it is given is what it keeps. Its history is on, as it is by default. */
export async function open({ url, folder }) {
  const { Memory } = await import("mem0ai/oss");
  const model = { ...embeddings, invoke: async () => ({ content: "" }) };
  const { hostname, port, username, password, pathname } = new URL(url);
  const memory = new Memory({
    embedder: { provider: "langchain", config: { model, embeddingDims: DIMENSIONS } },
    llm: { provider: "langchain", config: { model } },
    vectorStore: {
      provider: "pgvector",
      config: {
        collectionName: "memories",
        dimension: DIMENSIONS,
        embeddingModelDims: DIMENSIONS,
        host: hostname,
        port: Number(port),
        user: username,
        password,
        dbname: pathname.slice(1),
        hnsw: true,
      },
    },
    historyStore: { provider: "sqlite", config: { historyDbPath: join(folder, "history.db") } },
  });
  return {
    put: async (user, texts) => {
      const messages = texts.map((content) => ({ role: "user", content }));
      await memory.add(messages, { userId: user, infer: false });
    },
    search: async (user, query) => {
      const { results } = await memory.search(query, { filters: { user_id: user }, topK: 10, threshold: 0 });
      return results.length;
    },
    erase: (user) => memory.deleteAll({ userId: user }),
    files: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    close: async () => undefined,
  };
}

import { PostgresStore } from "@langchain/langgraph-checkpoint-postgres/store";
import { DIMENSIONS, embeddings } from "./embedder.mjs";

const BATCH = 100;

/** The store of LangGraph: items in namespaces. There is no call that erases a namespace: list, then delete. */
export async function open({ url }) {
  const store = PostgresStore.fromConnString(url, {
    index: { dims: DIMENSIONS, embed: embeddings, fields: ["text"] },
  });
  await store.setup();
  return {
    put: async (user, texts) => {
      for (let from = 0; from < texts.length; from += BATCH) {
        await store.batch(
          texts.slice(from, from + BATCH).map((text, n) => ({
            namespace: ["users", user],
            key: `${user}-${from + n}`,
            value: { text },
          })),
        );
      }
    },
    search: async (user, query) => (await store.search(["users", user], { query, limit: 10 })).length,
    erase: async (user) => {
      for (;;) {
        const items = await store.search(["users", user], { limit: 1000 });
        if (items.length === 0) return;
        await store.batch(items.map(({ namespace, key }) => ({ namespace, key, value: null })));
      }
    },
    close: () => store.stop(),
  };
}

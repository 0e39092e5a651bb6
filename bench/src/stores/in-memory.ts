import { InMemoryStore, Memory } from "@demystify/memory";
import { PEPPER, type Store } from "./store.js";

export function openInMemory(): Store {
  return {
    name: "in memory",
    memory: new Memory({ store: new InMemoryStore(), subjectHashPepper: PEPPER }),
    sql: null,
    connection: null,
    noVectors: null,
    versions: {},
    calls: () => 0,
    close: async () => undefined,
  };
}

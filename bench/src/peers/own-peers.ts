import type pg from "pg";
import { Memory, PgMemoryStore, type EmbedderPort } from "@demystify/memory";
import type { Store } from "../stores/store.js";
import { PEPPER } from "../stores/store.js";
import { milliseconds, type Peer } from "./peer.js";

export type Embed = (text: string) => readonly number[];

const TENANT = "team";

/** This product, with the embedder that the peers have. */
export function ourselves(store: Store, database: string, embed: Embed): Peer {
  const embedder: EmbedderPort = { embed: async (texts) => texts.map((text) => Float32Array.from(embed(text))) };
  const memory = new Memory({ store: new PgMemoryStore(store.connection!), subjectHashPepper: PEPPER, embedder });
  const last = new Map<string, string>();
  return {
    name: "this library",
    database,
    put: (user, texts) =>
      milliseconds(async () => {
        const inputs = texts.map((text) => ({ tenantKey: TENANT, subjectKey: user, text }));
        for (const result of await memory.rememberMany(inputs)) {
          if ("error" in result) throw result.error;
          last.set(user, result.memory.memoryId);
        }
      }),
    search: async (user, query) => {
      let found = 0;
      const ms = await milliseconds(async () => {
        found = (await memory.recall({ tenantKey: TENANT, subjectKey: user, text: query })).hits.length;
      });
      return { ms, found };
    },
    erase: (user) => milliseconds(() => memory.forget({ tenantKey: TENANT, subjectKey: user })),
    digest: async (text, of) => {
      const sources = [{ sourceKind: "memory" as const, sourceId: last.get(of)! }];
      await memory.derive({ tenantKey: TENANT, kind: "digest", text, sources });
    },
    files: async () => [],
    close: () => store.close(),
  };
}

/** Raw SQL: a table with the vector beside the text, without an index on vectors. */
export async function rawSql(client: pg.Client, database: string, embed: Embed): Promise<Peer> {
  await client.query("create extension if not exists vector");
  await client.query(`create table item (
    id bigint generated always as identity primary key, owner text not null, text text not null, embedding vector(384))`);
  await client.query("create index on item (owner)");
  const put = async (user: string, texts: readonly string[]) => {
    await client.query(
      "insert into item (owner, text, embedding) select $1, t, v::vector from unnest($2::text[], $3::text[]) u(t, v)",
      [user, texts, texts.map((text) => `[${embed(text).join(",")}]`)],
    );
  };
  return {
    name: "raw SQL",
    database,
    put: (user, texts) => milliseconds(() => put(user, texts)),
    search: async (user, query) => {
      let found = 0;
      const ms = await milliseconds(async () => {
        const { rows } = await client.query(
          "select id, text from item where owner = $1 order by embedding <=> $2::vector limit 10",
          [user, `[${embed(query).join(",")}]`],
        );
        found = rows.length;
      });
      return { ms, found };
    },
    erase: (user) => milliseconds(() => client.query("delete from item where owner = $1", [user])),
    digest: (text) => put("team", [text]),
    files: async () => [],
    close: () => client.end(),
  };
}

import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { Memory, PgMemoryStore, migrate } from "@demystify/memory";
import { counted } from "./counted.js";
import { PEPPER, type Store } from "./store.js";

/** The product in PGlite, which has one connection, of a superuser. */
export async function openPglite(): Promise<Store> {
  const db = await PGlite.create({ extensions: { vector } });
  await db.exec("create extension if not exists vector");
  await migrate(db);
  const { rows } = await db.query<{ server: string; vector: string }>(
    "select current_setting('server_version') as server, (select extversion from pg_extension where extname = 'vector') as vector",
  );
  const { connection, calls } = counted(db);
  return {
    name: "PGlite",
    memory: new Memory({ store: new PgMemoryStore(connection), subjectHashPepper: PEPPER }),
    sql: {
      query: async <Fields>(text: string, params: readonly unknown[] = []) => {
        const answer = await db.query<Fields>(text, [...params]);
        return { rows: answer.rows };
      },
      script: async (text) => {
        await db.exec(text);
      },
    },
    connection: db,
    noVectors: null,
    versions: { PGlite: `of Postgres ${rows[0]!.server}`, "PGlite's pgvector": rows[0]!.vector },
    calls,
    close: () => db.close(),
  };
}

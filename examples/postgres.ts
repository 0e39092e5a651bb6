// How to run it on the host's own Postgres; the region is in the README and in the guides.
import { Memory, migrate, PgMemoryStore, type Queryable } from "@demystify/memory";

export async function onPostgres(pool: Queryable): Promise<Memory> {
  // #region postgres
  await migrate(pool); // once, as the role that owns the installation; nothing migrates by itself
  const memory = new Memory({
    store: new PgMemoryStore(pool),
    subjectHashPepper: process.env["MEMORY_PEPPER"] ?? "", // 32 bytes or more, kept outside the database
  });
  // #endregion
  return memory;
}

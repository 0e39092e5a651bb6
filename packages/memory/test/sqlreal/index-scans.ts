import type { Sql } from "../support/sql.js";

/** How often an index was searched until now; of one on a partitioned table, in all of its partitions. */
export async function indexScans(sql: Sql, name: string): Promise<number> {
  const [row] = await sql(
    `select sum(s.idx_scan)::int as scans from pg_stat_user_indexes s
      where s.indexrelname = $1 or s.indexrelid in (
        select i.inhrelid from pg_inherits i join pg_class c on c.oid = i.inhparent where c.relname = $1)`,
    [name],
  );
  return Number(row?.["scans"]);
}

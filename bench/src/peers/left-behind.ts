import { readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";

export interface LeftBehind {
  /** Rows that hold the word, in all tables of the database. */
  readonly rows: number;
  readonly tables: readonly string[];
  /** How often the word stands in files of indexes. */
  readonly inIndexes: number;
  /** How often it stands in files that are kept beside the database. */
  readonly inFiles: number;
}

/** Where a word of an erased person still is. Every table is read; index and other files are searched for the bytes. */
export async function leftBehind(
  client: pg.Client,
  dataDir: string,
  files: readonly string[],
  canary: string,
): Promise<LeftBehind> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'm') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`,
  );
  const found: { readonly name: string; readonly n: number }[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from ${name} t where to_jsonb(t)::text like '%' || $1 || '%'`,
      [canary],
    );
    if (rows[0]!.n > 0) found.push({ name, n: rows[0]!.n });
  }
  await client.query("checkpoint");
  const { rows: indexes } = await client.query<{ path: string }>(
    `select pg_relation_filepath(c.oid) as path from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'i' and n.nspname not in ('pg_catalog', 'information_schema')`,
  );
  return {
    rows: found.reduce((sum, { n }) => sum + n, 0),
    tables: found.map(({ name }) => name),
    inIndexes: indexes.reduce((sum, { path }) => sum + occurrences(join(dataDir, path), canary), 0),
    inFiles: files.reduce((sum, file) => sum + occurrences(file, canary), 0),
  };
}

function occurrences(file: string, word: string): number {
  const bytes = readFileSync(file);
  let count = 0;
  for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, at + 1)) count += 1;
  return count;
}

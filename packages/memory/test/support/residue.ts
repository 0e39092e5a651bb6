import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "./native-postgres.js";
import type { Sql } from "./sql.js";

/** Where bytes of a row may be found in a server's files, or in what it answers to a plain query. */
export const PLACES = ["heap", "TOAST", "index", "statistics", "WAL", "elsewhere"] as const;
export type Place = (typeof PLACES)[number];
export type Counts = Readonly<Record<Place, number>>;

/** Which relation a file holds; a file of several segments has the same name up to the dot. */
const KINDS = `
  select pg_relation_filepath(c.oid) as path,
         case when c.relname like 'pg_statistic%' or t.relname like 'pg_statistic%' then 'statistics'
              when n.nspname = 'pg_catalog' then 'elsewhere'
              when c.relkind = 'i' then 'index'
              when c.relkind = 't' then 'TOAST'
              else 'heap' end as place
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_class t on t.reltoastrelid = c.oid
   where pg_relation_filepath(c.oid) is not null`;

/**
 * How often the needle occurs in the files of the server, by place. It reads the bytes on disk, whatever the database
 * says is in them: holes of pages, dead tuples, deleted index entries and recycled log segments are all read.
 *
 * A scan sees bytes that are stored as they are. Values that Postgres compresses are not found, so that whoever looks
 * has to store incompressible ones, without compression; then nothing found is nothing there.
 */
export async function scan(cluster: Cluster, sql: Sql, needle: Buffer): Promise<Counts> {
  // What is only in the server's memory is written out by a checkpoint, which is a step of its own for whoever measures.
  const places = new Map((await sql(KINDS)).map(({ path, place }) => [String(path), place as Place]));
  const counts: Record<Place, number> = { heap: 0, TOAST: 0, index: 0, statistics: 0, WAL: 0, elsewhere: 0 };
  for (const name of readdirSync(cluster.dataDir, { recursive: true, encoding: "utf8" })) {
    const found = occurrences(join(cluster.dataDir, name), needle);
    if (found > 0) counts[placeOf(name, places)] += found;
  }
  return counts;
}

function placeOf(name: string, places: ReadonlyMap<string, Place>): Place {
  if (name.startsWith("pg_wal")) return "WAL";
  return places.get(name.replace(/(?:_(?:fsm|vm|init))?(?:\.\d+)?$/, "")) ?? "elsewhere";
}

function occurrences(file: string, needle: Buffer): number {
  let bytes: Buffer;
  try {
    if (!statSync(file).isFile()) return 0;
    bytes = readFileSync(file);
  } catch (error) {
    // The server removes files while they are being listed.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
  let found = 0;
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) found += 1;
  return found;
}

/** One line of the table: what was done, and what was found then. */
export interface Measured {
  readonly step: string;
  readonly found: Counts;
}

/** A table for a terminal, and for a document. */
export function residueTable(title: string, steps: readonly Measured[]): string {
  const rows = steps.map(({ step, found }) => [step, ...PLACES.map((place) => String(found[place]))]);
  const table = [[title, ...PLACES], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(table[0]!), rule, ...table.slice(1).map(line)].join("\n");
}

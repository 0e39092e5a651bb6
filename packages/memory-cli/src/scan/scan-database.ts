import type { Queryable } from "../database/database.js";
import { LiteralIndex } from "../proof/literal-index.js";

const PAGE = 1_000;

/** What was read, and where the literal stands. Places and counts only. */
export interface TableScan {
  readonly tables: number;
  readonly columns: number;
  readonly rows: number;
  readonly found: readonly { readonly place: string; readonly rows: number }[];
  /** Tables that this role may not read. */
  readonly unreadable: readonly string[];
  /** Tables of which row-level security shows this role a part. */
  readonly hiddenByPolicy: readonly string[];
}

export interface ScanScope {
  /** `null`: all but the system's own. */
  readonly schemas: readonly string[] | null;
  /** One tenant was asked for: that row-level security hides the others is meant. */
  readonly oneTenant: boolean;
}

interface Listed {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly readable: boolean;
  readonly filtered: boolean;
}

/**
 * Reads every table whole, page by page within the transaction that is open, and looks for one literal in every
 * column and in the planner's statistics.
 *
 * @param between called now and then, to stop
 */
export async function scanDatabase(
  session: Queryable,
  scope: ScanScope,
  literal: string,
  between: () => Promise<void>,
): Promise<TableScan> {
  const index = new LiteralIndex([{ value: literal, whole: false }]);
  const counts = new Map<string, number>();
  const search = (place: string, cell: string) => {
    let hit = false;
    index.search(cell, () => (hit = true));
    if (hit) counts.set(place, (counts.get(place) ?? 0) + 1);
  };

  const tables = await listTables(session, scope);
  const readable = tables.filter((table) => table.readable);
  let rows = 0;
  for (const table of readable) {
    const places = table.columns.map((column) => `${table.schema}.${table.name}.${column}`);
    for await (const cells of readTable(session, table, between)) {
      rows += 1;
      cells.forEach((cell, column) => {
        if (cell !== null) search(places[column] ?? "", cell);
      });
    }
  }
  for (const { place, kept } of await readStatistics(session, readable)) search(`planner statistics of ${place}`, kept);
  const names = (some: readonly Listed[]) => some.map(({ schema, name }) => `${schema}.${name}`);
  return {
    tables: tables.length,
    columns: readable.reduce((sum, { columns }) => sum + columns.length, 0),
    rows,
    found: [...counts].map(([place, hits]) => ({ place, rows: hits })),
    unreadable: names(tables.filter((table) => !table.readable)),
    hiddenByPolicy: names(readable.filter(({ filtered }) => filtered)),
  };
}

/** Partitions are read through their table, whose rights and policies are those that count. Foreign tables are somebody else's. */
async function listTables(session: Queryable, { schemas, oneTenant }: ScanScope): Promise<readonly Listed[]> {
  const { rows } = await session.query<Listed>(
    `select n.nspname::text as schema, c.relname::text as name,
            array_agg(a.attname::text order by a.attnum) as columns,
            pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_table_privilege(c.oid, 'select') as readable,
            pg_catalog.row_security_active(c.oid) and (n.nspname <> 'demystify_memory' or (not $2 and exists (
              select from pg_catalog.pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_key'))) as filtered
       from pg_catalog.pg_class c
       join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind in ('r', 'p', 'm') and not c.relispartition
        and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
        and ($1::text[] is null or n.nspname = any ($1::text[]))
      group by n.oid, n.nspname, c.oid, c.relname
      order by 1, 2`,
    [schemas, oneTenant],
  );
  return rows;
}

async function* readTable(
  session: Queryable,
  { schema, name, columns }: Listed,
  between: () => Promise<void>,
): AsyncGenerator<readonly (string | null)[]> {
  const cells = columns.map((column) => `${quote(column)}::text`).join(", ");
  await session.query(
    `declare literal_scan no scroll cursor for select array[${cells}] as cells from ${quote(schema)}.${quote(name)}`,
  );
  for (;;) {
    await between();
    const { rows } = await session.query<{ cells: (string | null)[] }>(`fetch ${PAGE} from literal_scan`);
    for (const { cells: row } of rows) yield row;
    if (rows.length < PAGE) break;
  }
  await session.query("close literal_scan");
}

async function readStatistics(
  session: Queryable,
  tables: readonly Listed[],
): Promise<readonly { readonly place: string; readonly kept: string }[]> {
  const { rows } = await session.query<{ place: string; kept: string }>(
    `select schemaname || '.' || tablename || '.' || attname as place,
            concat_ws(' ', most_common_vals::text, histogram_bounds::text, most_common_elems::text) as kept
       from pg_catalog.pg_stats
      where schemaname || '.' || tablename = any ($1::text[])
      order by 1`,
    [tables.map(({ schema, name }) => `${schema}.${name}`)],
  );
  return rows;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

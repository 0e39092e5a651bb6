import type { Queryable } from "../database/database.js";
import { LiteralIndex } from "./literal-index.js";
import type { Literal } from "./literals.js";
import { countOtherTenants, isTenanted, listTables, readTable, SCHEMA } from "./read-table.js";

/** What was read, and what was found in it. */
export interface Scan {
  readonly tables: number;
  readonly columns: number;
  readonly rows: number;
  /** Columns for which the planner keeps statistics, which are samples of the data. */
  readonly statistics: number;
  /** Rows of other tenants (earlier runs over the same database), which were not read. */
  readonly otherTenantRows: number;
  /** For each literal found, the columns it stands in, as `table.column`. */
  readonly found: ReadonlyMap<Literal, ReadonlySet<string>>;
}

/**
 * Looks for literals in every column of every table of the schema, and in the planner's statistics about them.
 * It shares nothing with the library that wrote the rows: it reads the tables themselves.
 */
export async function scanSchema(session: Queryable, tenantKey: string, literals: readonly Literal[]): Promise<Scan> {
  const index = new LiteralIndex(literals);
  const found = new Map<Literal, Set<string>>();
  const note = (place: string) => (number: number) => {
    const literal = literals[number];
    if (literal === undefined) return;
    const places = found.get(literal);
    if (places === undefined) found.set(literal, new Set([place]));
    else places.add(place);
  };

  const tables = await listTables(session);
  let rows = 0;
  let otherTenantRows = 0;
  for (const table of tables) {
    const places = table.columns.map((column) => note(`${table.name}.${column}`));
    for await (const cells of readTable(session, table, tenantKey)) {
      rows += 1;
      cells.forEach((cell, column) => {
        const onFound = places[column];
        if (cell !== null && onFound !== undefined) index.search(cell, onFound);
      });
    }
    otherTenantRows += await countOtherTenants(session, table, tenantKey);
  }
  const statistics = await readStatistics(session);
  for (const { column, kept } of statistics)
    if (kept !== null) index.search(kept, note(`planner statistics of ${column}`));
  return {
    tables: tables.length,
    columns: tables.reduce((sum, table) => sum + table.columns.length, 0),
    rows,
    statistics: statistics.length,
    otherTenantRows,
    found,
  };
}

/** What tables without tenants hold: settings and code lists, the same for everybody. */
export async function readBackdrop(session: Queryable): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const table of await listTables(session)) {
    if (isTenanted(table)) continue;
    for await (const cells of readTable(session, table, "")) {
      for (const cell of cells) if (cell !== null) texts.push(cell);
    }
  }
  return texts;
}

async function readStatistics(session: Queryable): Promise<readonly { column: string; kept: string | null }[]> {
  const { rows } = await session.query<{ column: string; kept: string | null }>(
    `select tablename || '.' || attname as column,
            concat_ws(' ', most_common_vals::text, histogram_bounds::text, most_common_elems::text) as kept
       from pg_catalog.pg_stats
      where schemaname = $1
      order by 1`,
    [SCHEMA],
  );
  return rows;
}

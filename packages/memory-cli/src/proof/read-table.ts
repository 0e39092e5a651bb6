import { CliError, EXIT } from "../cli-error.js";
import type { Queryable } from "../database/database.js";

export const SCHEMA = "demystify_memory";

const PAGE = 2_000;

/** A table of the product's schema. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Every table of the schema with every column, read from the catalogue: a table added later is not missed. */
export async function listTables(session: Queryable): Promise<readonly Table[]> {
  const { rows } = await session.query<Table>(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
       from pg_catalog.pg_class c
       join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where n.nspname = $1 and c.relkind in ('r', 'p', 'm') and not c.relispartition
      group by c.relname
      order by c.relname`,
    [SCHEMA],
  );
  return rows;
}

/**
 * Refuses to begin where this role may not read every table: the proof would have to leave some out.
 *
 * @throws {CliError}
 */
export async function requireReadable(session: Queryable): Promise<void> {
  const { rows } = await session.query<{ name: string }>(
    `select c.relname::text as name
       from pg_catalog.pg_class c
       join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relkind in ('r', 'p', 'm') and not c.relispartition and not pg_catalog.has_table_privilege(c.oid, 'select')
      order by 1`,
    [SCHEMA],
  );
  if (rows.length === 0) return;
  throw new CliError({
    code: "not_permitted",
    message: `this database role may not read ${rows.length} tables of ${SCHEMA}, and the proof reads every one`,
    help: "Connect as a superuser, or leave the URL out to use the embedded Postgres. No message was stored.",
    exitCode: EXIT.failed,
  });
}

/** Whether the rows of a table belong to tenants. */
export function isTenanted(table: Table): boolean {
  return table.columns.includes("tenant_key");
}

/**
 * Reads a table whole, every column as text, page by page. Of a table with tenants: the rows of one.
 * What is looked for never goes to the server, where a statement log would keep it.
 */
export async function* readTable(
  session: Queryable,
  table: Table,
  tenantKey: string,
  orderBy?: string,
): AsyncGenerator<readonly (string | null)[]> {
  const columns = table.columns.map((column) => `${quoteName(column)}::text`).join(", ");
  const where = isTenanted(table) ? " where tenant_key = $1" : "";
  const order = orderBy === undefined ? "" : ` order by ${quoteName(orderBy)}`;
  await session.query(
    `declare demo_scan no scroll cursor for
      select array[${columns}] as cells from ${SCHEMA}.${quoteName(table.name)}${where}${order}`,
    where === "" ? [] : [tenantKey],
  );
  for (;;) {
    const { rows } = await session.query<{ cells: (string | null)[] }>(`fetch ${PAGE} from demo_scan`);
    for (const { cells } of rows) yield cells;
    if (rows.length < PAGE) break;
  }
  await session.query("close demo_scan");
}

/** How many rows of a table are not this tenant's, as far as the connection may see. */
export async function countOtherTenants(session: Queryable, table: Table, tenantKey: string): Promise<number> {
  if (!isTenanted(table)) return 0;
  const { rows } = await session.query<{ n: number }>(
    `select count(*)::int as n from ${SCHEMA}.${quoteName(table.name)} where tenant_key <> $1`,
    [tenantKey],
  );
  return rows[0]?.n ?? 0;
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

import type { Sql } from "./sql.js";

const SCHEMA = "demystify_memory";

interface Table {
  readonly table: string;
  readonly columns: readonly string[];
  /** For each column whether it is a byte string. */
  readonly bytes: readonly boolean[];
}

/**
 * Everything the schema holds, as text: every column of every table, in its text form and (binary columns) escaped
 * byte for byte, and what the planner's statistics kept of the values. As a superuser, or rows would be missing.
 */
export async function dumpSchema(sql: Sql): Promise<string> {
  const tables = (await sql(
    `select c.relname as "table", array_agg(a.attname::text order by a.attnum) as columns,
            array_agg(a.atttypid = 'bytea'::pg_catalog.regtype order by a.attnum) as bytes
       from pg_catalog.pg_class c
       join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = $1::pg_catalog.regnamespace and c.relkind in ('r', 'p', 'm')
      group by c.relname order by c.relname`,
    [SCHEMA],
  )) as readonly unknown[] as readonly Table[];
  if (tables.length === 0) throw new Error(`no table in schema ${SCHEMA}: there is nothing to search`);
  const parts: string[] = [];
  for (const { table, columns, bytes } of tables) {
    const wanted = columns.map((column, index) => textForms(column, index, bytes[index] ?? false)).join(", ");
    for (const row of await sql(`select ${wanted} from ${SCHEMA}.${quote(table)}`)) {
      parts.push(`${table}: ${Object.values(row).join(" | ")}`);
    }
  }
  const statistics = await sql(
    `select tablename, attname, most_common_vals::text as common, histogram_bounds::text as bounds,
            most_common_elems::text as elements
       from pg_catalog.pg_stats where schemaname = $1`,
    [SCHEMA],
  );
  return [...parts, ...statistics.map((row) => `statistics: ${Object.values(row).join(" | ")}`)].join("\n");
}

/** The literals that occur in a dump, in any of the forms a text column, a JSON value or a byte string gives them. */
export function literalsIn(dump: string, literals: readonly string[]): readonly string[] {
  const unquoted = withoutQuoting(dump);
  return literals.filter((literal) => {
    if (withoutQuoting(literal) === "") throw new Error("an empty literal is everywhere");
    const json = JSON.stringify(literal).slice(1, -1);
    const hex = Buffer.from(literal, "utf8").toString("hex");
    return [literal, json, hex].some((form) => dump.includes(form)) || unquoted.includes(withoutQuoting(literal));
  });
}

// Arrays, JSON, text search vectors and rows each double or escape quotes in their own way.
function withoutQuoting(text: string): string {
  return text.replace(/["'\\]/g, "");
}

function textForms(column: string, index: number, bytes: boolean): string {
  const text = `${quote(column)}::text as c${String(index)}`;
  return bytes ? `${text}, encode(${quote(column)}, 'escape') as e${String(index)}` : text;
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

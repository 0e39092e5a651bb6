import { InvalidInputError, type Queryable } from "@demystify/memory";
import type { CopyTag } from "../copy.js";
import type { Sink } from "../sink.js";
import { quoteTable, quoteName } from "./sql-name.js";

/** A table in another database, such as one with a pgvector column. */
export interface PostgresSinkOptions {
  readonly name: string;
  /** A pool of the database that holds the copies, with SELECT and DELETE on the table. */
  readonly db: Queryable;
  /** `table` or `schema.table`. */
  readonly table: string;
  /** The column a `ref` names, compared as text. Default: `id`. */
  readonly idColumn?: string;
  /** The column with the tag's `placementId` (text or uuid). Default: `placement_id`. */
  readonly placementColumn?: string;
  /** The column with the tag's `tenantTag`; without one the table cannot be listed by tenant. */
  readonly tenantColumn?: string;
  /**
   * Every other column that a row needs, for a row without content that is inserted and deleted again as the positive
   * control. Needs INSERT. Without it only a copy that is seen before it is destroyed proves that the table is the
   * right one.
   */
  readonly controlRow?: Readonly<Record<string, string | number | boolean | null>>;
  /** Replicas that are read back too: they may be behind. */
  readonly alsoReadFrom?: readonly Queryable[];
}

/**
 * Copies in a Postgres table. Reaches `unfindable`: rows are deleted and read back by id and by tag, in transactions.
 *
 * Not `purged`: deleted rows stay in data files and in an HNSW index until vacuum, and in the write-ahead log, its
 * archive and backups for longer; nothing here can see that they are gone.
 *
 * @throws InvalidInputError
 */
export function postgresSink(options: PostgresSinkOptions): Sink {
  const { db, name, controlRow } = options;
  const table = quoteTable(options.table);
  const id = quoteName(options.idColumn ?? "id");
  const placement = quoteName(options.placementColumn ?? "placement_id");
  const tenant = options.tenantColumn === undefined ? undefined : quoteName(options.tenantColumn);
  const readers = [db, ...(options.alsoReadFrom ?? [])];
  if (controlRow !== undefined) for (const column of Object.keys(controlRow)) quoteName(column);

  const idsWhere = async (reader: Queryable, condition: string, value: string): Promise<readonly string[]> => {
    const { rows } = await reader.query(`select ${id}::text as ref from ${table} where ${condition}`, [value]);
    return rows.map(refOf);
  };

  return {
    name,
    reaches: "unfindable",
    whyNotMore: "Deleted rows stay in data files until vacuum, and in the write-ahead log and backups for longer.",
    async destroy({ ref, placementId }) {
      // By tag as well: a row that was stored twice, or under another id, carries it too.
      await db.query(`delete from ${table} where ${id}::text = $1 or ${placement}::text = $2`, [ref, placementId]);
      return "acknowledged";
    },
    async readBackById({ ref }) {
      for (const reader of readers) if ((await idsWhere(reader, `${id}::text = $1`, ref)).length > 0) return "present";
      return "absent";
    },
    async readBackByTag({ placementId }) {
      const found: string[] = [];
      for (const reader of readers) found.push(...(await idsWhere(reader, `${placement}::text = $1`, placementId)));
      return [...new Set(found)];
    },
    ...(tenant === undefined ? {} : { enumerate: (tag: string) => entries(db, { table, id, placement, tenant }, tag) }),
    ...(controlRow === undefined
      ? {}
      : {
          async plant(tag: CopyTag) {
            const row: readonly (readonly [string, string | number | boolean | null])[] = [
              [placement, tag.placementId],
              ...(tenant === undefined ? [] : [[tenant, tag.tenantTag] as const]),
              ...Object.entries(controlRow).map(([column, value]) => [quoteName(column), value] as const),
            ];
            const values = row.map((_, index) => `$${index + 1}`).join(", ");
            const { rows } = await db.query(
              `insert into ${table} (${row.map(([column]) => column).join(", ")}) values (${values})
               returning ${id}::text as ref`,
              row.map(([, value]) => value),
            );
            if (rows[0] === undefined) throw new InvalidInputError("controlRow", "was not inserted");
            return refOf(rows[0]);
          },
        }),
  };
}

const PAGE = 1000;

async function* entries(
  db: Queryable,
  { table, id, placement, tenant }: Readonly<Record<"table" | "id" | "placement" | "tenant", string>>,
  tag: string,
) {
  // The ids are compared as text, as a ref is.
  let after = "";
  for (;;) {
    const { rows } = await db.query(
      `select ${id}::text as ref, ${placement}::text as placement
         from ${table} where ${tenant}::text = $1 and ${id}::text collate "C" > $2 order by ${id}::text collate "C" limit ${PAGE}`,
      [tag, after],
    );
    for (const row of rows) {
      const { placement: placementId } = row as { readonly placement: string | null };
      yield { ref: refOf(row), placementId };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = refOf(last);
  }
}

function refOf(row: unknown): string {
  return (row as { readonly ref: string }).ref;
}

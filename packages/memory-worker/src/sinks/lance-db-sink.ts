import type { CopyTag } from "../copy.js";
import type { Sink, SinkCall, SinkEntry } from "../sink.js";
import { bytesInFolder } from "./bytes-in-folder.js";
import { quoteName } from "./sql-name.js";

/** What the adapter uses of a table of `@lancedb/lancedb`. */
export interface LanceTable {
  delete(predicate: string): Promise<unknown>;
  query(): {
    where(predicate: string): {
      select(columns: string[]): {
        limit(count: number): { toArray(): Promise<readonly Readonly<Record<string, unknown>>[]> };
      };
    };
  };
  countRows(predicate?: string): Promise<number>;
  optimize(options: { cleanupOlderThan: Date; deleteUnverified?: boolean }): Promise<unknown>;
  listVersions(): Promise<readonly { readonly version: number }[]>;
  checkout(version: number): Promise<unknown>;
  checkoutLatest(): Promise<unknown>;
  add(rows: Record<string, unknown>[]): Promise<unknown>;
}

/** A table in LanceDB. */
export interface LanceDbSinkOptions {
  readonly name: string;
  /** Opens the table anew: looking into an earlier version moves the handle it is done with. */
  readonly open: () => Promise<LanceTable>;
  /** The column a `ref` names, a string. Default: `id`. */
  readonly idColumn?: string;
  /** The column with the tag's `placementId`. Default: `placement_id`. */
  readonly placementColumn?: string;
  /** The column with the tag's `tenantTag`. Default: `tenant_tag`. */
  readonly tenantColumn?: string;
  /** Every other column of a row without content, planted as the positive control: the vector, for one. */
  readonly controlRow?: Readonly<Record<string, unknown>>;
  /** Where the table lies on this machine: its files are then searched for the tag, which is the strongest look. */
  readonly dataFolder?: string;
  /**
   * Also removes files younger than seven days that no version refers to. Only where nobody else writes to the table
   * at that time: it would break an unfinished write.
   */
  readonly deleteUnverified?: boolean;
}

/**
 * Rows of a LanceDB table. A deleted row stays readable in every earlier version, so a purge compacts the table and
 * removes earlier versions, then looks into each version that is left and, with `dataFolder`, into the files. Costs a
 * pass over the table. Reaches `purged`.
 *
 * @throws InvalidInputError
 */
export function lanceDbSink(options: LanceDbSinkOptions): Sink {
  const { name, open, controlRow, dataFolder } = options;
  const [id, placement, tenant] = [
    options.idColumn ?? "id",
    options.placementColumn ?? "placement_id",
    options.tenantColumn ?? "tenant_tag",
  ];
  for (const column of [id, placement, tenant]) quoteName(column);

  const refsWhere = async (predicate: string): Promise<readonly string[]> => {
    const rows = await (await open()).query().where(predicate).select([id]).limit(MANY).toArray();
    return rows.map((row) => String(row[id]));
  };

  return {
    name,
    reaches: "purged",
    whyNotMore: "Copies of the table, such as tags, branches, snapshots and replicas, are not reached.",
    async destroy({ ref, placementId }) {
      await (await open()).delete(`${equal(id, ref)} or ${equal(placement, placementId)}`);
      return "acknowledged";
    },
    async readBackById({ ref }) {
      return (await (await open()).countRows(equal(id, ref))) > 0 ? "present" : "absent";
    },
    readBackByTag: ({ placementId }) => refsWhere(equal(placement, placementId)),
    async purge({ placementId }, { signal }: SinkCall) {
      const deleteUnverified = options.deleteUnverified ?? false;
      await (await open()).optimize({ cleanupOlderThan: new Date(), deleteUnverified });
      const table = await open();
      for (const { version } of await table.listVersions()) {
        await table.checkout(version);
        if ((await table.countRows(equal(placement, placementId))) > 0) return "present";
      }
      await table.checkoutLatest();
      if (dataFolder === undefined) return "absent";
      return (await bytesInFolder(dataFolder, placementId, signal)) ? "present" : "absent";
    },
    async *enumerate(tenantTag: string): AsyncIterable<SinkEntry> {
      const rows = await (
        await open()
      )
        .query()
        .where(equal(tenant, tenantTag))
        .select([id, placement])
        .limit(MANY)
        .toArray();
      for (const row of rows) {
        const placementId = row[placement];
        yield { ref: String(row[id]), placementId: typeof placementId === "string" ? placementId : null };
      }
    },
    ...(controlRow === undefined
      ? {}
      : {
          async plant(tag: CopyTag) {
            const ref = `control-${tag.placementId}`;
            const row = { ...controlRow, [id]: ref, [placement]: tag.placementId, [tenant]: tag.tenantTag };
            await (await open()).add([row]);
            return ref;
          },
        }),
  };
}

// Without a limit a query answers ten rows.
const MANY = 1_000_000_000;

function equal(column: string, value: string): string {
  return `${column} = '${value.replaceAll("'", "''")}'`;
}

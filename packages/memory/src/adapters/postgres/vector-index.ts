import { readOneOf } from "../../domain/input/codes.js";
import { readBoolean, readFields } from "../../domain/input/fields.js";
import { readInteger } from "../../domain/input/numbers.js";
import { readKey } from "../../domain/input/strings.js";
import { InstallError, InvalidInputError } from "../../errors.js";
import type { VectorIndex } from "../../ports/memory-store.js";
import type { PgConnection } from "./connection.js";
import type { Queryable } from "./queryable.js";
import { toMemoryError } from "./sqlstate.js";

/** Which vectors to index. */
export interface VectorIndexInput {
  readonly tenantKey: string;
  /** The length of the vectors: at most 2,000 for `hnsw`, 4,000 for `hnsw-halfvec`. */
  readonly dimensions: number;
  /** `hnsw-halfvec` takes about half the space; the hits are put in order by the whole vectors. Default: `hnsw`. */
  readonly kind?: VectorIndex["kind"];
  /** Answers what would be run, and runs nothing. */
  readonly dryRun?: boolean;
}

/** What there was, and what is to be run. */
export interface VectorIndexPlan {
  readonly indexes: readonly { readonly name: string; readonly state: VectorIndex["state"] | "missing" }[];
  /** In order, each outside of a transaction; empty if both indexes stand. */
  readonly statements: readonly string[];
  /** Whether the statements were run. */
  readonly applied: boolean;
}

const LONGEST = { hnsw: 2000, "hnsw-halfvec": 4000 } as const;

/**
 * Gives one tenant an index of its own on its vectors, for memories and for derived rows. There is none over several
 * tenants: searched with a tenant filter it would miss nearly everything. Worth it from some 20,000 vectors on, below
 * which recall stays exact whether there is an index or not. Writes to the table go on while it is built, and are
 * slower once it stands.
 *
 * Run it as the role that installed, or as a superuser. Running it again changes nothing; an index that a crash left
 * half built is built anew. Dropping the tenant's vectors does not drop the index: `drop index` does.
 *
 * @throws InvalidInputError, InstallError (no pgvector, or a role that may not), StoreError
 */
export async function ensureVectorIndex(db: Queryable, input: VectorIndexInput): Promise<VectorIndexPlan> {
  const { tenantKey, dimensions, kind, dryRun } = readInput(input);
  const found = await read<Found>(
    db,
    `select json_build_object(
       'schema', demystify_memory.vector_schema(),
       'owner', (select quote_ident(pg_catalog.pg_get_userbyid(c.relowner)) from pg_catalog.pg_class c
                  where c.oid = 'demystify_memory.memory'::regclass),
       'owns', (select pg_catalog.pg_has_role(current_user, c.relowner, 'usage') from pg_catalog.pg_class c
                 where c.oid = 'demystify_memory.memory'::regclass),
       'inherits', current_setting('server_version_num')::int >= 160000,
       'tenant', quote_literal($1::text),
       'indexes', (select json_agg(json_build_object(
           'table', demystify_memory.table_of_tenant($1::text, t.name), 'name', n.name, 'state', coalesce(x.state, 'missing')) order by t.name desc)
         from unnest(array['memory', 'derived']) t(name)
        cross join lateral demystify_memory.vector_index_name($1::text, t.name, $2::text::int, $3::text) n(name)
         left join demystify_memory.vector_indexes($1::text) x on x.name = n.name))::text as answer`,
    [tenantKey, String(dimensions), kind],
  );
  if (found.schema === null) {
    throw new InstallError("pgvector is not installed in this database", "create extension vector; then run it again.");
  }
  const statements = found.indexes.flatMap((index) => statementsFor(index, found, dimensions, kind));
  const plan = { indexes: found.indexes.map(({ name, state }) => ({ name, state })), statements };
  if (dryRun || statements.length === 0) return { ...plan, applied: false };
  await asOwner(db, found, () => runAll(db, statements));
  return { ...plan, applied: true };
}

/** Every index on vectors, of all tenants. */
export async function vectorIndexes(db: PgConnection): Promise<readonly VectorIndex[]> {
  return db.jsonOfAll<VectorIndex[]>("list_vector_indexes");
}

interface Found {
  readonly schema: string | null;
  readonly owner: string;
  readonly owns: boolean;
  readonly inherits: boolean;
  readonly tenant: string;
  readonly indexes: readonly {
    /** Or the partition that holds the tenant's rows: a partitioned table cannot be indexed concurrently. */
    readonly table: string;
    readonly name: string;
    readonly state: VectorIndex["state"] | "missing";
  }[];
}

function readInput(input: VectorIndexInput) {
  const fields = readFields(input, ["tenantKey", "dimensions", "kind", "dryRun"]);
  const kind = readOneOf(fields.kind, "kind", ["hnsw", "hnsw-halfvec"], "hnsw");
  return {
    tenantKey: readKey(fields.tenantKey, "tenantKey"),
    kind,
    dimensions: readInteger(fields.dimensions, "dimensions", { min: 1, max: LONGEST[kind] }),
    dryRun: readBoolean(fields.dryRun, "dryRun", false),
  };
}

function statementsFor(
  { table, name, state }: Found["indexes"][number],
  { schema, tenant }: Found,
  dimensions: number,
  kind: VectorIndex["kind"],
): string[] {
  if (state === "valid") return [];
  const type = kind === "hnsw" ? "vector" : "halfvec";
  const at = `"${String(schema).replaceAll('"', '""')}"`;
  return [
    ...(state === "missing" ? [] : [`drop index concurrently if exists demystify_memory.${name}`]),
    `create index concurrently if not exists ${name} on demystify_memory.${table} using hnsw ` +
      `((embedding::${at}.${type}(${String(dimensions)})) ${at}.${type}_cosine_ops) ` +
      `where tenant_key = ${tenant} and dimensions = ${String(dimensions)}`,
    // Statistics on the expression would keep vectors after their rows are gone.
    `alter index demystify_memory.${name} alter column 1 set statistics 0`,
  ];
}

// Only an owner may index, and nobody logs in as the engine: the installer becomes a member for as long as it takes.
// Nothing is set in the session, because each statement may go over another connection of a pool.
async function asOwner(db: Queryable, { owner, owns, inherits }: Found, work: () => Promise<void>): Promise<void> {
  if (owns) return work();
  await run(db, `grant ${owner} to current_user${inherits ? " with inherit true" : ""}`);
  try {
    await work();
  } finally {
    await run(db, `revoke ${owner} from current_user`);
  }
}

async function runAll(db: Queryable, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await run(db, statement);
}

async function run(db: Queryable, statement: string): Promise<void> {
  try {
    await db.query(statement);
  } catch (error) {
    const known = toMemoryError(error);
    if (known instanceof InvalidInputError || known instanceof InstallError) {
      throw new InstallError(
        "the role that connects may not index vectors, or is in a transaction",
        "Run ensureVectorIndex as the role that installed, outside of a transaction, or run its statements as a superuser.",
      );
    }
    throw known;
  }
}

async function read<T>(db: Queryable, sql: string, params: unknown[]): Promise<T> {
  try {
    const { rows } = await db.query(sql, params);
    return JSON.parse(String((rows[0] as { answer?: unknown } | undefined)?.answer)) as T;
  } catch (error) {
    throw toMemoryError(error);
  }
}

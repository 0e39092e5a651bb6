import type { Queryable } from "./queryable.js";
import { toMemoryError } from "./sqlstate.js";

/** A parameter as text, with the Postgres type the function expects. */
export type Argument = readonly [type: string, value: string | number | boolean | null];

/**
 * Runs one SQL function of the schema and answers its text. `hostScope`: the tenant has to be the one the host's
 * session has set, and without one nothing is seen.
 */
export async function callFunction(
  db: Queryable,
  hostScope: boolean,
  name: string,
  tenantKey: string,
  args: readonly Argument[],
): Promise<string | null> {
  return run(db, `select demystify_memory.${name}(${signature(hostScope, args)})::text as answer`, tenantKey, args);
}

/** The same for a procedure with one INOUT parameter at the end, called `receipt`. */
export async function callProcedure(
  db: Queryable,
  hostScope: boolean,
  name: string,
  tenantKey: string,
  args: readonly Argument[],
): Promise<string | null> {
  return run(db, `call demystify_memory.${name}(${signature(hostScope, args)}, null)`, tenantKey, args);
}

async function run(db: Queryable, sql: string, tenantKey: string, args: readonly Argument[]): Promise<string | null> {
  try {
    const params = [tenantKey, ...args.map(([, value]) => (value === null ? null : String(value)))];
    const { rows } = await db.query(sql, params);
    const row = rows[0] as { answer?: unknown; receipt?: unknown } | undefined;
    const answer = row?.answer ?? row?.receipt ?? null;
    return typeof answer === "string" ? answer : null;
  } catch (error) {
    throw toMemoryError(error);
  }
}

// Every parameter goes as text and is cast in the statement: no driver gets to choose a representation.
function signature(hostScope: boolean, args: readonly Argument[]): string {
  const tenant = hostScope ? "demystify_memory.host_tenant($1::text)" : "$1::text";
  return [tenant, ...args.map(([type], index) => `$${index + 2}::text::${type}`)].join(", ");
}

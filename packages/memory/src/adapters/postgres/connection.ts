import { InstallError } from "../../errors.js";
import { type Argument, callFunction, callProcedure } from "./call.js";
import { SCHEMA_VERSION } from "./migrations.js";
import type { Queryable } from "./queryable.js";
import { toMemoryError } from "./sqlstate.js";

/** What was found when the schema was looked at. */
export interface Installed {
  /** Whether pgvector is there. */
  readonly vector: boolean;
}

/** The schema's functions over the host's connection, in one tenant scope. */
export class PgConnection {
  readonly #db: Queryable;
  readonly #hostScope: boolean;
  #installed: Promise<Installed> | undefined;

  constructor(db: Queryable, hostScope: boolean) {
    this.#db = db;
    this.#hostScope = hostScope;
  }

  /** Once per store: an older or newer schema is refused before anything is read or written in it. */
  async installed(): Promise<Installed> {
    this.#installed ??= detect(this.#db).catch((error: unknown) => {
      this.#installed = undefined;
      throw error;
    });
    return this.#installed;
  }

  /** The text a function answers, or `null`. */
  async call(name: string, tenantKey: string, args: readonly Argument[]): Promise<string | null> {
    await this.installed();
    return callFunction(this.#db, this.#hostScope, name, tenantKey, args);
  }

  /** The JSON a function answers; `null` for SQL null. */
  async json<T>(name: string, tenantKey: string, args: readonly Argument[]): Promise<T> {
    return JSON.parse((await this.call(name, tenantKey, args)) ?? "null") as T;
  }

  /** The JSON of a function that is about the installation, and no tenant. */
  async jsonOfAll<T>(name: string): Promise<T> {
    await this.installed();
    try {
      const { rows } = await this.#db.query(`select demystify_memory.${name}()::text as answer`);
      return JSON.parse((rows[0] as { answer?: string } | undefined)?.answer ?? "null") as T;
    } catch (error) {
      throw toMemoryError(error);
    }
  }

  /** What a procedure leaves in `receipt`. */
  async procedure(name: string, tenantKey: string, args: readonly Argument[]): Promise<string | null> {
    await this.installed();
    return callProcedure(this.#db, this.#hostScope, name, tenantKey, args);
  }
}

async function detect(db: Queryable): Promise<Installed> {
  let answer: unknown;
  try {
    const { rows } = await db.query("select demystify_memory.capabilities() as answer");
    answer = (rows[0] as { answer?: unknown } | undefined)?.answer;
  } catch (error) {
    throw toMemoryError(error);
  }
  const { vector, version } = JSON.parse(String(answer)) as { vector: boolean; version: number };
  if (version < SCHEMA_VERSION) {
    throw new InstallError(
      `the schema is at version ${String(version)}, this package needs ${String(SCHEMA_VERSION)}`,
      "Run migrate(db), or the numbered files of migrations/ above that version with psql -f.",
    );
  }
  if (version > SCHEMA_VERSION) {
    throw new InstallError(
      `the schema is at version ${String(version)}, this package knows ${String(SCHEMA_VERSION)}`,
      "Upgrade @demystify/memory on every client: npm install @demystify/memory@latest.",
    );
  }
  return { vector };
}

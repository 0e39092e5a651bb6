import { resolve } from "node:path";
import pg from "pg";
import { MemoryError } from "@demystify/memory";
import { filesystemSink, httpSink, manualSink, postgresSink, type Sink } from "@demystify/memory-worker";
import { UsageError } from "../cli-error.js";
import { requireObject } from "./require-object.js";

/** Sinks that are ready, and how to let go of what they hold. */
export interface OpenedSinks {
  readonly sinks: readonly Sink[];
  readonly close: () => Promise<void>;
}

interface Place {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the configuration: paths are relative to it. */
  readonly folder: string;
  readonly path: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Makes the sinks of a JSON configuration. Secrets are named there by variable, and never written. */
export function openSinks(list: readonly unknown[], place: Place): OpenedSinks {
  const pools: pg.Pool[] = [];
  const types: Readonly<Record<string, (fields: Fields, where: string) => Sink>> = {
    filesystem: (fields, where) =>
      filesystemSink({ name: text(fields, "name", where), root: resolve(place.folder, text(fields, "root", where)) }),
    manual: (fields, where) => manualSink({ name: text(fields, "name", where) }),
    http: ({ type: _type, secretEnv, ...options }, where) =>
      httpSink({
        ...(options as unknown as Parameters<typeof httpSink>[0]),
        secret: secret({ secretEnv }, "secretEnv", where, place.env),
      }),
    postgres: ({ type: _type, urlEnv, ...options }, where) => {
      const url = secret({ urlEnv }, "urlEnv", where, place.env);
      const pool = new pg.Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 10_000 });
      pool.on("error", () => undefined);
      pools.push(pool);
      return postgresSink({ ...(options as unknown as Parameters<typeof postgresSink>[0]), db: pool });
    },
  };
  const sinks = list.map((each, index) => {
    const where = `sinks[${index}] of ${place.path}`;
    const fields = requireObject(each, where);
    const make = Object.hasOwn(types, String(fields["type"])) ? types[String(fields["type"])] : undefined;
    if (make === undefined) {
      throw new UsageError(
        `${where} has no known type`,
        `Give one of ${Object.keys(types).join(", ")}; for other systems write the configuration as an ES module.`,
      );
    }
    try {
      return make(fields, where);
    } catch (error) {
      if (error instanceof MemoryError) throw new UsageError(`${where}: ${error.message}`, error.help);
      throw error;
    }
  });
  return {
    sinks,
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

function text(fields: Fields, name: string, where: string): string {
  const value = fields[name];
  if (typeof value === "string" && value !== "") return value;
  throw new UsageError(`${where} has no "${name}"`, `Give "${name}" as text.`);
}

function secret(fields: Fields, name: string, where: string, env: Place["env"]): string {
  const variable = text(fields, name, where);
  const value = env[variable] ?? "";
  if (value !== "") return value;
  throw new UsageError(`${where}: the variable ${variable} is not set`, "Set it in the environment of this command.");
}

import { Option, type Command } from "commander";
import { Memory, PgMemoryStore } from "@demystify/memory";
import { UsageError } from "../cli-error.js";
import type { Invocation } from "../commands/command.js";
import type { Database } from "../database/database.js";
import { declareDatabase, openDatabase, type DatabaseOptions } from "./database-options.js";
import { declarePepper, readPepper, type PepperOptions } from "./pepper.js";

export interface MemoryCommandOptions extends DatabaseOptions, PepperOptions {
  readonly tenant?: string;
  readonly tenantScope?: "per-call" | "host";
}

/** A store that is connected. */
export interface Opened {
  readonly memory: Memory;
  readonly database: Database;
  /** Whether hashes of persons are keyed. */
  readonly keyed: boolean;
}

/** What a command works with. */
export interface Connected extends Opened {
  readonly tenantKey: string;
}

/** Adds the database, the tenant and the pepper. */
export function declareMemory(command: Command): Command {
  declareDatabase(command);
  declareTenant(command);
  return declarePepper(command);
}

export function declareTenant(command: Command): Command {
  return command
    .option("--tenant <key>", "the tenant to work in (or DEMYSTIFY_MEMORY_TENANT in the environment)")
    .addOption(
      new Option(
        "--tenant-scope <scope>",
        "host: also set the tenant in the session, where the installation wants that",
      )
        .choices(["per-call", "host"])
        .default("per-call"),
    );
}

/** The tenant that was named, or `null`. */
export function namedTenant({ options, console }: Invocation<{ readonly tenant?: string }>): string | null {
  const tenant = options.tenant ?? console.env["DEMYSTIFY_MEMORY_TENANT"] ?? "";
  return tenant.trim() === "" ? null : tenant;
}

/** @throws {UsageError} */
export function requireTenant(invocation: Invocation<{ readonly tenant?: string }>): string {
  const tenantKey = namedTenant(invocation);
  if (tenantKey === null) {
    throw new UsageError("no tenant was named", "Give --tenant KEY, or set DEMYSTIFY_MEMORY_TENANT.");
  }
  return tenantKey;
}

/** Connects for one piece of work in one tenant, and closes however that ends. */
export async function withMemory<T>(
  invocation: Invocation<MemoryCommandOptions>,
  work: (connected: Connected) => Promise<T>,
): Promise<T> {
  const tenantKey = requireTenant(invocation);
  return withStore(invocation, tenantKey, (opened) => work({ ...opened, tenantKey }));
}

/**
 * The same for several tenants.
 *
 * @param oneTenant the tenant, if there is only one: `--tenant-scope host` sets it in the session
 */
export async function withStore<T>(
  invocation: Invocation<MemoryCommandOptions>,
  oneTenant: string | null,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const pepper = readPepper(invocation);
  const tenantScope = invocation.options.tenantScope ?? "per-call";
  if (tenantScope === "host" && oneTenant === null) {
    throw new UsageError("--tenant-scope host works in one tenant", "Name one tenant, and run the command for each.");
  }
  const database = await openDatabase(invocation, { sessionTenant: tenantScope === "host" ? oneTenant : null });
  try {
    const memory = new Memory({
      store: new PgMemoryStore(database.queryable, { tenantScope }),
      ...(pepper === null ? {} : { subjectHashPepper: pepper }),
    });
    return await work({ memory, database, keyed: pepper !== null });
  } finally {
    await database.close();
  }
}

import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Memory } from "../../src/index.js";
import { aCanary } from "../support/canary.js";
import type { FaultServer } from "../support/fault-server.js";
import { strikeAt } from "../support/fault-pauses.js";
import { visibleState, type Operation } from "../support/operations.js";
import { coveredAndLive, ledgerOf } from "./ledger.js";

/** A fault, and what is to be done before anybody can connect again. */
export interface Fault {
  readonly strike: () => Promise<unknown>;
  /** Whom the operation is run by, where it matters how they are connected. */
  readonly memory?: Memory;
}

export interface Attempt {
  readonly statements: number;
  readonly struck: boolean;
  readonly outcome: unknown;
  readonly canary: string;
  readonly state: Awaited<ReturnType<typeof visibleState>>;
}

/**
 * Runs an operation in a tenant of its own, lets the fault strike at its nth writing statement, looks at what is there
 * then, and does what a host does who finds it: with another connection, whatever the first one was told.
 */
export async function attempt(
  server: FaultServer,
  { options = {}, prepare }: Operation,
  statement: number,
  fault?: Fault,
): Promise<Attempt> {
  const tenantKey = `tenant-${randomUUID()}`;
  const canary = aCanary();
  const memory = server.memory(options);
  const { run, recover = run } = await prepare({ memory, tenantKey, canary });
  // What the host stored may have been committed asynchronously; what is about the erasure may not rely on that.
  await server.sql("checkpoint");
  const before = await ledgerOf(server.sql, tenantKey);

  const { statements, struck, outcome } = await strikeAt(
    server,
    statement,
    () => run(fault?.memory ?? memory),
    fault?.strike ?? (() => Promise.resolve()),
  );

  // No survivor of the fault may be missing without evidence, shown although it is covered, or certified too early.
  const after = await ledgerOf(server.sql, tenantKey);
  expect(after).toMatchObject({ falselyComplete: [], destroyedButLive: [] });
  expect(after.memories).toBeGreaterThanOrEqual(before.memories);
  expect(after.derived).toBeGreaterThanOrEqual(before.derived);
  const later = struck ? server.memory(options) : memory;
  const hidden = await coveredAndLive(server.sql, tenantKey);
  const shown = await visibleIds(later, tenantKey);
  expect(hidden.filter((id) => shown.has(id))).toEqual([]);

  await recover(later);
  return { statements, struck, outcome, canary, state: await visibleState(later, tenantKey) };
}

async function visibleIds(memory: Memory, tenantKey: string): Promise<ReadonlySet<string>> {
  const { rows: memories } = await memory.listMemories({ tenantKey, limit: 1000 });
  const { rows: derived } = await memory.listDerived({ tenantKey, limit: 1000 });
  return new Set([...memories.map(({ memoryId }) => memoryId), ...derived.map(({ derivedId }) => derivedId)]);
}

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { InMemoryStore, Memory } from "../../src/index.js";
import type { MemoryOptions, MemoryStore } from "../../src/index.js";
import { literalsIn } from "./dump.js";
import { legTitle, requestedLegs } from "./legs.js";
import type { Leg } from "./legs.js";
import { openPglite, openPostgres } from "./postgres-legs.js";
import type { PostgresLeg } from "./postgres-legs.js";
import type { Sql } from "./sql.js";

type Options = Omit<MemoryOptions, "store">;

/** What a behaviour test is given: a store, and people to keep there. It never asks which store it is. */
export interface Given {
  readonly store: MemoryStore;
  /** A fresh tenant on the store, so there is nothing to clean up. */
  tenant(options?: Options): Promise<{ readonly memory: Memory; readonly tenantKey: string }>;
  /** The same data over a connection of its own, as another process would see it. */
  second(options?: Options): Promise<Memory>;
  /** Fails if any of the literals is left anywhere in the store, in whatever column or form. */
  expectNowhere(...literals: string[]): Promise<void>;
  /** On Postgres, plain SQL as the superuser. */
  readonly sql: Sql | undefined;
}

interface OpenStore {
  readonly store: MemoryStore;
  readonly second: () => MemoryStore;
  readonly dump: () => Promise<string>;
  readonly sql: Sql | undefined;
  readonly close: () => Promise<void>;
}

/** Runs a suite once on each store: in memory, on PGlite, and on a native Postgres. */
export function describeEachStore(name: string, body: (given: Given) => void): void {
  for (const leg of requestedLegs()) {
    describe(legTitle(name, leg), () => {
      let open: OpenStore | undefined;
      beforeAll(async () => {
        open = await openOnce(leg);
      });
      body(givenOn(() => open ?? unopened()));
    });
  }
}

function givenOn(current: () => OpenStore): Given {
  return {
    get store() {
      return current().store;
    },
    get sql() {
      return current().sql;
    },
    tenant: (options = {}) =>
      Promise.resolve({
        memory: new Memory({ store: current().store, ...options }),
        tenantKey: `tenant-${randomUUID()}`,
      }),
    second: (options = {}) => Promise.resolve(new Memory({ store: current().second(), ...options })),
    async expectNowhere(...literals) {
      expect(literalsIn(await current().dump(), literals)).toEqual([]);
    },
  };
}

function unopened(): never {
  throw new Error("a store is given to tests and hooks, not while they are being declared");
}

// One store of each sort per test file: the suites of a file share it, each test in a tenant of its own.
const opened = new Map<Leg, Promise<OpenStore>>();

function openOnce(leg: Leg): Promise<OpenStore> {
  const store = opened.get(leg) ?? openLeg(leg);
  opened.set(leg, store);
  return store;
}

afterAll(async () => {
  for (const store of opened.values()) await (await store).close();
});

async function openLeg(leg: Leg): Promise<OpenStore> {
  switch (leg) {
    case "in-memory": {
      const store = new InMemoryStore();
      return {
        store,
        second: () => store,
        dump: () => Promise.resolve(store.dump()),
        sql: undefined,
        close: () => Promise.resolve(),
      };
    }
    case "pglite":
      return onPostgres(await openPglite());
    case "postgres":
      return onPostgres(await openPostgres());
  }
}

function onPostgres(leg: PostgresLeg): OpenStore {
  return { store: leg.newStore(), second: leg.newStore, dump: leg.dump, sql: leg.sql, close: leg.close };
}

import { ForgetIncompleteError, Memory, type DeriveResult, type ErasureReceipt, type MemoryOptions } from "../index.js";
import type { MemoryStore, RememberResult, SourceRef } from "../index.js";
import { newId } from "../use-cases/new-id.js";
import { ConformanceFailure, holds } from "./failure.js";

/** How the suite gets at the store under test. */
export interface ConformanceSetup {
  /** A store, new or used: each case works in tenants of its own. */
  readonly createStore: () => MemoryStore | Promise<MemoryStore>;
  /**
   * Everything the store holds, in whatever form, as text. Where it is given the cases also look there for what should
   * be gone; without it they only ask the store.
   */
  readonly dump?: (store: MemoryStore) => string | Promise<string>;
}

/** What one case is given. */
export interface Given {
  readonly store: MemoryStore;
  readonly memory: Memory;
  readonly tenantKey: string;
  /** The same store under other options. */
  readonly reopened: (options: Omit<MemoryOptions, "store">) => Memory;
  readonly newTenantKey: () => string;
  /** Fails if the word is left anywhere, as far as the setup lets the suite look. */
  readonly expectNowhere: (word: string) => Promise<void>;
}

/** One promise of the contract. */
export interface Promised {
  readonly name: string;
  readonly check: (given: Given) => Promise<void>;
}

export const RAMESH = "customer:ramesh";
export const PRIYA = "customer:priya";

export async function prepare(setup: ConformanceSetup): Promise<Given> {
  const store = await setup.createStore();
  return {
    store,
    memory: new Memory({ store }),
    tenantKey: newTenantKey(),
    reopened: (options) => new Memory({ ...options, store }),
    newTenantKey,
    async expectNowhere(word) {
      if (setup.dump === undefined) return;
      holds("what was erased is left somewhere in the store", !(await setup.dump(store)).includes(word));
    },
  };
}

/** A word that stands nowhere else. */
export function aWord(): string {
  return `word${newId().replaceAll(/[0-9a-f-]/g, (character) => LETTERS[parseInt(character, 16)] ?? "")}`;
}

/** Something a person said. */
export function said(tenantKey: string, text: string, subjectKey = RAMESH) {
  return { tenantKey, subjectKey, text };
}

/** Something made from these rows. */
export function madeFrom(...sources: readonly (RememberResult | DeriveResult)[]) {
  const first = sources[0];
  if (first === undefined) throw new ConformanceFailure("a case names no source");
  const { tenantKey } = "memory" in first ? first.memory : first.derived;
  return { tenantKey, kind: "summary", text: "in short", sources: sources.map(sourceOf) };
}

/** A copy of these rows. */
export function aCopyOf(...sources: readonly (RememberResult | DeriveResult)[]) {
  const { tenantKey, sources: refs } = madeFrom(...sources);
  return { tenantKey, sink: "vector-index", ref: "point", kind: "embedding", sources: refs };
}

export function sourceOf(made: RememberResult | DeriveResult): SourceRef {
  return "memory" in made
    ? { sourceKind: "memory", sourceId: made.memory.memoryId }
    : { sourceKind: "derived", sourceId: made.derived.derivedId };
}

/** The receipt of a `forget` that must not complete yet. */
export async function forgetIncompletely(
  memory: Memory,
  input: Parameters<Memory["forget"]>[0],
): Promise<ErasureReceipt> {
  try {
    await memory.forget(input);
  } catch (error) {
    if (error instanceof ForgetIncompleteError) return error.receipt;
    throw error;
  }
  throw new ConformanceFailure("an erasure was reported as complete and confirmed, and it is neither");
}

const LETTERS = "abcdefghijklmnop";

function newTenantKey(): string {
  return `tenant-${newId()}`;
}

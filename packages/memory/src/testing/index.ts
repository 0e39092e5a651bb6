import { COPY_CASES } from "./cases/copies.js";
import { ERASING_CASES } from "./cases/erasing.js";
import { GATE_CASES } from "./cases/gate.js";
import { KEY_CASES } from "./cases/keys.js";
import { STORING_CASES } from "./cases/storing.js";
import { prepare, type ConformanceSetup } from "./given.js";

export { ConformanceFailure } from "./failure.js";
export type { ConformanceSetup } from "./given.js";

/** One promise of the contract, and how to see whether a store keeps it. */
export interface ConformanceCase {
  /** The promise, as a sentence. */
  readonly name: string;
  /** @throws ConformanceFailure where the promise is broken; whatever the store throws where it cannot be tried */
  readonly run: () => Promise<void>;
}

/**
 * What any `MemoryStore` must keep to: the states of an erasure, the cascade, the write gate, receipts, copies,
 * restrictions, holds, and that keys are compared exactly. Plain functions, for whatever test framework:
 *
 * ```ts
 * for (const { name, run } of conformanceCases({ createStore: () => new MyStore() })) test(name, run);
 * ```
 *
 * The cases need no other process, so they say nothing of two connections at once: a store that shares its data needs
 * tests of its own for races.
 */
export function conformanceCases(setup: ConformanceSetup): readonly ConformanceCase[] {
  return [...KEY_CASES, ...STORING_CASES, ...ERASING_CASES, ...GATE_CASES, ...COPY_CASES].map(({ name, check }) => ({
    name,
    run: async () => check(await prepare(setup)),
  }));
}

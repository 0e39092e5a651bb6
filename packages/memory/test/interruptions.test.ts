import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { Memory } from "../src/index.js";
import { aCanary } from "./support/canary.js";
import { InterruptedStore, ProcessEnded, type StopAt } from "./support/interrupted-store.js";
import { OPERATIONS, visibleState, type Operation } from "./support/operations.js";
import { describeEachStore, type Given } from "./support/stores.js";

describeEachStore("a process that ends before or after any call of the store, and is followed by another,", (given) => {
  test.each(OPERATIONS)("ends where an undisturbed one does: $name", { timeout: 120_000 }, async (operation) => {
    const another = await given.second(operation.options);
    const whole = await attempt(given, another, operation);
    expect(whole.calls).toBeGreaterThan(0);

    const stops = Array.from({ length: whole.calls }, (_, index) => index + 1).flatMap((call) => [
      { call, when: "before" } as const,
      { call, when: "after" } as const,
    ]);
    const canaries = [whole.canary];
    for (const stop of stops) {
      const interrupted = await attempt(given, another, operation, stop);
      expect({ stop, state: interrupted.state }).toEqual({ stop, state: whole.state });
      canaries.push(interrupted.canary);
    }

    if (operation.erases === true) await given.expectNowhere(...canaries);
  });
});

/** Carries an operation out in a tenant of its own; with a stop, another process finds it as the first one left it. */
async function attempt(given: Given, another: Memory, { prepare, options = {} }: Operation, stop?: StopAt) {
  const tenantKey = `tenant-${randomUUID()}`;
  const canary = aCanary();
  const before = new Memory({ ...options, store: given.store });
  const { run, recover = run } = await prepare({ memory: before, tenantKey, canary });

  const interrupted = new InterruptedStore(given.store, stop);
  const memory = new Memory({ ...options, store: interrupted.store });
  if (stop === undefined) await run(memory);
  else await expect(run(memory)).rejects.toThrow(ProcessEnded);

  // Also after an undisturbed run, so that what recovering does is the same everywhere.
  await recover(another);
  return { calls: interrupted.calls, canary, state: await visibleState(another, tenantKey) };
}

import { describe, expect, test } from "vitest";
import { InMemoryStore } from "../src/index.js";
import { conformanceCases, ConformanceFailure } from "../src/testing/index.js";
import { aStoreThatLogs, BROKEN_STORES } from "./conformance/broken-stores.js";
import { describeEachStore } from "./support/stores.js";

describeEachStore("the contract of a store", (given) => {
  const cases = conformanceCases({ createStore: () => given.store });

  test.each(cases.map(({ name, run }) => [name, run] as const))("%s", async (_name, run) => {
    await run();
  });
});

describe("the contract is checked", () => {
  const dump = (store: unknown) => (store instanceof InMemoryStore ? store.dump() : "");

  test("also by looking everywhere, where the store lets it", async () => {
    for (const { run } of conformanceCases({ createStore: () => new InMemoryStore(), dump })) await run();
  });

  test("and what is left where no read looks is noticed", async () => {
    const log: string[] = [];
    const cases = conformanceCases({ createStore: () => aStoreThatLogs(log), dump: () => log.join() });

    const failures = await failuresOf(cases);

    expect(failures.map(({ name }) => name)).toContainEqual(expect.stringMatching(/everything derived/));
    for (const { error } of failures) expect(String(error)).toMatch(/left somewhere/);
  });

  test.each(BROKEN_STORES.map((broken) => [broken.how, broken] as const))("%s", async (_how, { create, noticedBy }) => {
    const failures = await failuresOf(conformanceCases({ createStore: create }));

    expect(failures.map(({ name }) => name)).toContainEqual(expect.stringMatching(noticedBy));
    for (const { name, error } of failures) expect([name, error]).toEqual([name, expect.any(ConformanceFailure)]);
  });
});

async function failuresOf(cases: ReturnType<typeof conformanceCases>) {
  const failures: { name: string; error: unknown }[] = [];
  for (const { name, run } of cases) {
    try {
      await run();
    } catch (error) {
      failures.push({ name, error });
    }
  }
  return failures;
}

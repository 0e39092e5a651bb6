import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";
import { legOfTitle, requestedLegs } from "./legs.js";
import type { Leg } from "./legs.js";

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Says at the end how many tests ran on each store, and fails a run in which a store ran none: a leg that did not run
 * must not look like one that passed. Only a run of chosen files may leave all of them out.
 */
export class LegReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const tallies = new Map<Leg, Tally>(requestedLegs().map((leg) => [leg, { passed: 0, failed: 0, skipped: 0 }]));
    for (const module of modules) {
      for (const test of module.children.allTests()) count(tallies, test);
    }
    const idle = [...tallies].filter(([, { passed, failed }]) => passed + failed === 0).map(([leg]) => leg);
    if (idle.length > 0 && !(await this.#isWholeRun(modules.length))) return;
    for (const [leg, { passed, failed, skipped }] of tallies) {
      const counts = `${String(passed)} passed, ${String(failed)} failed, ${String(skipped)} skipped`;
      console.log(`       Store  ${leg}: ${counts}`);
    }
    if (idle.length > 0) {
      console.error(`\nno test ran on ${idle.join(", ")}: the run fails`);
      process.exitCode = 1;
    }
  }

  async #isWholeRun(modules: number): Promise<boolean> {
    if (this.#vitest === undefined || this.#vitest.config.testNamePattern !== undefined) return false;
    return modules >= (await this.#vitest.globTestSpecifications()).length;
  }
}

function count(tallies: ReadonlyMap<Leg, Tally>, test: TestCase): void {
  const leg = legOf(test);
  const tally = leg === undefined ? undefined : tallies.get(leg);
  const state = test.result().state;
  if (tally !== undefined && state !== "pending") tally[state] += 1;
}

function legOf(test: TestCase): Leg | undefined {
  for (let parent = test.parent; parent.type === "suite"; parent = parent.parent) {
    const leg = legOfTitle(parent.name);
    if (leg !== undefined) return leg;
  }
  return undefined;
}

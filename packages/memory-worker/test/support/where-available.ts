import { describe, expect, test } from "vitest";

/**
 * Runs a suite where what it needs is there. Where it is not, one test says so in its title; with `CI` set that test
 * fails, so that a machine without the part cannot pass for one that tried it.
 */
export function describeWhere(missing: string | undefined, name: string, body: () => void): void {
  if (missing === undefined) {
    describe(name, body);
    return;
  }
  test(`NOT RUN, ${name}: ${missing}`, () => {
    console.warn(`NOT RUN, ${name}: ${missing}`);
    expect(process.env["CI"] ?? "", missing).toBe("");
  });
}

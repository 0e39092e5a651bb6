import { expect } from "vitest";
import { StoreError } from "../../src/index.js";

/**
 * What a caller is told when the database fails under it: either nothing, because the library has asked again itself, or
 * that the same call may succeed later, and never a word of the row it struck at.
 */
export function expectRetryable(outcome: unknown, sqlstate?: string): void {
  if (!(outcome instanceof Error)) return;
  expect(outcome).toBeInstanceOf(StoreError);
  expect(outcome).toMatchObject({ code: "ERR_STORE", retryable: true });
  if (sqlstate !== undefined) expect(outcome.cause).toMatchObject({ code: sqlstate });
  expect(`${outcome.stack ?? ""} ${JSON.stringify(outcome)} ${String(outcome.cause)}`).not.toMatch(/canary[a-z]{16}/);
}

import type { ErasureReceipt, Memory } from "../../src/index.js";
import { ForgetIncompleteError } from "../../src/index.js";
import { sourceOf } from "./builders.js";

type Made = Parameters<typeof sourceOf>[0];

/** A copy of these rows in a sink; where and what does not matter here unless it is given. */
export function aCopyOf(first: Made, ...others: readonly Made[]) {
  const row = "memory" in first ? first.memory : first.derived;
  return {
    tenantKey: row.tenantKey,
    sink: "vector-index",
    ref: "point 1",
    kind: "embedding",
    sources: [first, ...others].map(sourceOf),
  };
}

/** Forgets where that cannot complete yet, and answers the receipt of the error. */
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
  throw new Error("forget completed, which was not expected");
}

/** The reference of an erasure, as every later call takes it. */
export function refOf({ tenantKey, tombstoneId }: ErasureReceipt) {
  return { tenantKey, tombstoneId };
}

/** Everything an async iterable gives. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

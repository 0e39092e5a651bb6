import type { Memory } from "../../src/index.js";

type RememberInput = Parameters<Memory["remember"]>[0];
type DeriveInput = Parameters<Memory["derive"]>[0];
type Source = DeriveInput["sources"][number];

/** A result of `remember` or `derive`, or the row in it. */
type Made =
  | { readonly memory: { readonly tenantKey: string; readonly memoryId: string } }
  | { readonly derived: { readonly tenantKey: string; readonly derivedId: string } };

/** Something a person said; who and what does not matter here unless it is given. */
export function aMemory<Given extends Partial<RememberInput> & { readonly tenantKey: string }>(given: Given) {
  return { subjectKey: "customer:ramesh", text: "prefers a call in the evening", ...given };
}

/** Something a model wrote from these rows. */
export function aSummaryOf(first: Made, ...others: readonly Made[]) {
  const sources = [first, ...others].map(sourceOf);
  return { tenantKey: tenantOf(first), kind: "summary", text: "a summary of what was said", sources };
}

/** A row as `derive` and `lineage` name it. */
export function sourceOf(made: Made): Source {
  return "memory" in made
    ? { sourceKind: "memory", sourceId: made.memory.memoryId }
    : { sourceKind: "derived", sourceId: made.derived.derivedId };
}

/** A UUID of version 7 that no store has given to anything. */
export const UNKNOWN_ID = "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a";

/** Instants that are over, so that no test has to wait or to set a clock. */
export const LONG_AGO = "2001-09-09T01:46:40.000Z";
export const NEVER_SOON = "2999-12-31T23:59:59.000Z";

/** Makes every item in turn: what is made later is newer. */
export async function inTurn<Item, Result>(
  items: Iterable<Item>,
  make: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await make(item));
  return results;
}

function tenantOf(made: Made): string {
  return "memory" in made ? made.memory.tenantKey : made.derived.tenantKey;
}

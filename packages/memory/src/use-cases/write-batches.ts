import { at, readArray } from "../domain/input/fields.js";
import { MemoryError } from "../errors.js";
import { isRefused, refusing, type Refused } from "./prepare-content.js";

/** The most inputs of one call, and the most rows of one statement. */
export const MAX_BATCH_INPUTS = 10_000;
export const MAX_BATCH_ROWS = 1000;

/**
 * Checks each input separately and writes those that pass, in batches of one tenant and at most 1,000 rows. The
 * results are in the order of the inputs; a refused one is `{ error }`.
 *
 * Where the store fails as a whole, the call throws if nothing had been stored yet. Later the rows that are left are
 * refused with that error instead, because the caller must still learn which ones are stored.
 */
export async function writeBatches<Input extends { readonly tenantKey: string }, Result extends object>(
  inputs: unknown,
  parse: (input: unknown, path: string) => Input,
  write: (tenantKey: string, batch: readonly Input[]) => Promise<readonly (Result | Refused)[]>,
): Promise<readonly (Result | Refused)[]> {
  const list = readArray(inputs, "inputs", { min: 0, max: MAX_BATCH_INPUTS });
  const parsed = list.map((input, index) => refusing(() => parse(input, at("inputs", index))));
  const results = parsed.map((input): Result | Refused | null => (isRefused(input) ? input : null));

  let stored = false;
  let failure: Refused | null = null;
  for (const batch of batches(parsed)) {
    let written: readonly (Result | Refused)[] = [];
    try {
      if (failure === null) written = await write(batch.tenantKey, batch.inputs);
    } catch (error) {
      if (!stored || !(error instanceof MemoryError)) throw error;
      failure = { error };
    }
    batch.places.forEach((place, index) => {
      results[place] = failure ?? written[index] ?? null;
    });
    stored ||= written.some((result) => !isRefused(result));
  }
  return results.filter((result) => result !== null);
}

interface Batch<Input> {
  readonly tenantKey: string;
  readonly inputs: Input[];
  /** Where each input stands in the call. */
  readonly places: number[];
}

function batches<Input extends { readonly tenantKey: string }>(parsed: readonly (Input | Refused)[]): Batch<Input>[] {
  const all: Batch<Input>[] = [];
  const filling = new Map<string, Batch<Input>>();
  parsed.forEach((input, place) => {
    if (isRefused(input)) return;
    let batch = filling.get(input.tenantKey);
    if (batch === undefined || batch.inputs.length === MAX_BATCH_ROWS) {
      batch = { tenantKey: input.tenantKey, inputs: [], places: [] };
      filling.set(input.tenantKey, batch);
      all.push(batch);
    }
    batch.inputs.push(input);
    batch.places.push(place);
  });
  return all;
}

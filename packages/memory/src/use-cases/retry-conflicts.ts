import { StoreError } from "../errors.js";

const MAX_RETRIES = 5;

/**
 * Calls again, at once, where the store says that the same call may succeed: a deadlock (SQLSTATE 40P01) or a
 * serialisation failure (40001) with another transaction, which is over by then. Only for calls that may be made
 * twice, as every erasure step may: it names its tombstone.
 */
export async function retryConflicts<Value>(call: () => Promise<Value>): Promise<Value> {
  for (let retries = 0; ; retries++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreError) || !error.retryable || retries === MAX_RETRIES) throw error;
    }
  }
}

import { StoreError } from "../errors.js";

const MAX_RETRIES = 5;

/** A deadlock and a serialisation failure: the other transaction has won, and is over when we are told. */
const CONFLICTS: readonly unknown[] = ["40P01", "40001"];

/**
 * Calls again, at once, where another transaction was in the way. Whatever else may pass (a lost connection, a timeout,
 * a full disk, a statement that an operator cancelled) is the caller's to try again. Only for calls that may be made
 * twice, as every erasure step may: it names its tombstone.
 */
export async function retryConflicts<Value>(call: () => Promise<Value>): Promise<Value> {
  for (let retries = 0; ; retries++) {
    try {
      return await call();
    } catch (error) {
      if (!isConflict(error) || retries === MAX_RETRIES) throw error;
    }
  }
}

/** A store without SQLSTATEs says with `retryable` alone that the call may be made again. */
function isConflict(error: unknown): boolean {
  if (!(error instanceof StoreError) || !error.retryable) return false;
  return error.cause === undefined || CONFLICTS.includes((error.cause as { readonly code?: unknown }).code);
}

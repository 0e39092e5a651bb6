import { ForgetIncompleteError, type ErasureReceipt, type Memory } from "@demystify/memory";
import { Worker, type RunReport } from "@demystify/memory-worker";
import { CliError, EXIT } from "../cli-error.js";
import type { ExportShare } from "./export-share.js";

/** Calls `forget` while the share is down. It must not report success. */
export async function forgetWhileDown(
  forget: () => Promise<ErasureReceipt>,
): Promise<{ readonly receipt: ErasureReceipt; readonly errorCode: string }> {
  let tombstoneId: string;
  try {
    ({ tombstoneId } = await forget());
  } catch (error) {
    if (!(error instanceof ForgetIncompleteError)) throw error;
    return { receipt: error.receipt, errorCode: error.code };
  }
  throw new CliError({
    code: "false_success",
    message: `the erasure ${tombstoneId} was called complete while copies could not be reached`,
    help: "This is a fault of the product. Please report it.",
    exitCode: EXIT.failed,
  });
}

/**
 * One worker for one erasure; each call is a round of it. A worker keeps what it failed at to itself for a while, so
 * that others do not try sooner: the second round has to be the same worker's.
 */
export function finisherOf(
  memory: Memory,
  share: ExportShare,
  { tenantKey, tombstoneId }: ErasureReceipt,
): () => Promise<RunReport> {
  const worker = new Worker({ memory, sinks: [share.sink], tenantKeys: [tenantKey] });
  return () => worker.runOnce({ only: { tenantKey, tombstoneId }, retryGivenUp: true });
}

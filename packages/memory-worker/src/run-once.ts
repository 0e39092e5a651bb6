import type { ErasureReceipt, ErasureRef } from "@demystify/memory";
import { finishErasure } from "./finish-erasure.js";
import { recheckCopies } from "./recheck.js";
import { Remembered, Round, type RunReport } from "./round.js";
import { readSettings, type WorkerOptions } from "./worker-options.js";
import { codeOf } from "./worker-memory.js";

/** What one round is limited to. */
export interface RunOptions {
  /** Ends the round between two calls; what was leased is given back. */
  readonly signal?: AbortSignal;
  /** This erasure only, whatever its age. */
  readonly only?: ErasureRef;
  /** Tries copies again that were given up or are backing off: what `retry` in the command line does. */
  readonly retryGivenUp?: boolean;
}

/**
 * One round: every open erasure of the tenants, oldest first, as far as it goes now. It never rejects because of a
 * sink; a failing store is counted in `errors` and told as an event.
 *
 * @throws InvalidInputError for options the contract does not allow
 */
export async function runOnce(options: WorkerOptions, run: RunOptions = {}): Promise<RunReport> {
  return runRound(new Round(readSettings(options), new Remembered(), run.signal, run.retryGivenUp === true), run.only);
}

/** The same with what earlier rounds remember. */
export async function runRound(round: Round, only?: ErasureRef): Promise<RunReport> {
  await recheckCopies(round);
  for (const { tenantKey, receipts } of await openErasures(round, only)) {
    for (const receipt of receipts) {
      if (round.stopped) return round.tally;
      await orReport(round, tenantKey, () => finishErasure(round, receipt));
    }
  }
  return round.tally;
}

async function openErasures(
  round: Round,
  only: ErasureRef | undefined,
): Promise<readonly { readonly tenantKey: string; readonly receipts: readonly ErasureReceipt[] }[]> {
  if (only !== undefined) {
    const receipt = await orReport(round, only.tenantKey, () => round.settings.memory.erasures.status(only));
    return [{ tenantKey: only.tenantKey, receipts: receipt === undefined ? [] : [receipt] }];
  }
  const tenantKeys = (await orReport(round, null, () => round.settings.tenantKeys())) ?? [];
  const found: { tenantKey: string; receipts: readonly ErasureReceipt[] }[] = [];
  for (const tenantKey of tenantKeys) {
    if (round.stopped) break;
    const receipts = await orReport(round, tenantKey, () => openErasuresOf(round, tenantKey));
    if (receipts !== undefined) found.push({ tenantKey, receipts });
  }
  return found;
}

async function openErasuresOf({ settings }: Round, tenantKey: string): Promise<readonly ErasureReceipt[]> {
  const receipts: ErasureReceipt[] = [];
  for (const state of ["in_progress", "escalated"] as const) {
    let cursor: string | undefined;
    do {
      const page = await settings.memory.erasures.list({
        tenantKey,
        state,
        limit: 200,
        ...(cursor === undefined ? {} : { cursor }),
      });
      receipts.push(...page.receipts);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
  return receipts.sort((a, b) => (a.openedAt < b.openedAt ? -1 : 1));
}

async function orReport<Result>(
  round: Round,
  tenantKey: string | null,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (thrown) {
    round.tally.errors += 1;
    round.settings.emit({ type: "store_failed", tenantKey, code: codeOf(thrown) });
    return undefined;
  }
}

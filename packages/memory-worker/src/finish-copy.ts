import type { ErasureReceipt, ErasureRef, EscalationCode, OutstandingPlacement } from "@demystify/memory";
import { pauseAfter } from "./backoff.js";
import { destroyAndLook } from "./destroy-and-look.js";
import type { ErasureLease } from "./erasure-lease.js";
import type { Round } from "./round.js";
import { atLeast, type Sink } from "./sink.js";
import { BlindSinkError, SinkError } from "./sink-error.js";
import type { WorkerEvent } from "./worker-event.js";
import { codeOf } from "./worker-memory.js";

/** How one try at one copy ended. */
export type CopyEnd =
  | { readonly end: "confirmed"; readonly receipt: ErasureReceipt }
  /** To be tried again then. */
  | { readonly end: "later"; readonly inSeconds: number }
  /** Nothing more is done here. `escalate`: a person has to take over. */
  | { readonly end: "left"; readonly escalate?: EscalationCode }
  /** It is another worker's by now. */
  | { readonly end: "another" };

/** Ends a round between two calls to a sink. */
export class RoundStopped extends Error {}

/** Another worker has the copy, or it was written anew: what was seen of it counts for nothing. */
class LeaseLost extends Error {}

/**
 * One try at one copy: destroyed, looked for, and confirmed at the level that was seen, under the lease that held
 * meanwhile. What the sink throws is recorded as a code.
 *
 * @throws RoundStopped; whatever the store throws
 */
export async function finishCopy(
  round: Round,
  erasure: ErasureRef,
  sink: Sink,
  placementId: string,
  lease: ErasureLease,
): Promise<CopyEnd> {
  const { settings, remembered, tally } = round;
  const copy = await lease.current(placementId);
  if (copy === undefined) return { end: "another" };
  const of = { ...erasureOf(erasure), placementId: copy.placementId, sink: copy.sink };
  // Given up by an earlier process; or by its ref nobody could find it any more, so a person has to say.
  const givenUp = copy.attempts >= settings.maxAttempts && copy.lastErrorCode !== null && !round.retryGivenUp;
  if (givenUp || copy.ref === null) {
    tally.left.givenUp += 1;
    remembered.givenUp.add(copy.placementId);
    remembered.toldLeft.add(copy.placementId);
    settings.emit({ type: "copy_left", ...of, reason: "given_up" });
    return { end: "left" };
  }

  try {
    const outcome = await destroyAndLook(
      sink,
      { tenantKey: erasure.tenantKey, placementId: copy.placementId, ref: copy.ref, kind: copy.kind },
      {
        seconds: settings.callTimeoutSeconds,
        purge: settings.purge === "always" || copy.requiredProof === "purged",
        controlRequired: settings.positiveControl === "required",
        seeing: remembered.seeing,
        now: settings.now,
        goOn: async () => {
          if (round.stopped) throw new RoundStopped();
          if ((await lease.current(placementId))?.writtenAt !== copy.writtenAt) throw new LeaseLost();
        },
      },
    );
    if (!outcome.gone) {
      remembered.firstGone.delete(copy.placementId);
      await settings.memory.erasures.attempt({ ...refOf(of), outcome: "requested" });
      return wait(round, of, "sink", pause(round, copy));
    }
    if (!atLeast(outcome.proof, copy.requiredProof)) {
      await settings.memory.erasures.attempt({ ...refOf(of), outcome: "acknowledged" });
      settings.emit({ type: "proof_too_weak", ...of, reached: outcome.proof, required: copy.requiredProof });
      remembered.givenUp.add(copy.placementId);
      tally.left.givenUp += 1;
      return { end: "left", escalate: "operator" };
    }
    const unsettled = secondsToSettle(round, sink, copy.placementId);
    if (unsettled > 0) return wait(round, of, "second_look", unsettled);
    return await confirm(round, of, copy, lease, outcome.proof);
  } catch (thrown) {
    if (thrown instanceof LeaseLost) return lost(round, of);
    if (!(thrown instanceof SinkError)) throw thrown;
    remembered.firstGone.delete(copy.placementId);
    return failed(round, of, copy, thrown);
  }
}

interface Of extends ErasureRef {
  readonly placementId: string;
  readonly sink: string;
}

async function confirm(
  round: Round,
  of: Of,
  copy: OutstandingPlacement,
  lease: ErasureLease,
  proof: Parameters<typeof atLeast>[0],
): Promise<CopyEnd> {
  const { settings, remembered, tally } = round;
  const leasedUntil = lease.copies.find(({ placementId }) => placementId === of.placementId)?.leasedUntil;
  if (leasedUntil == null) return lost(round, of);
  const under = { owner: settings.owner, leasedUntil, writtenAt: copy.writtenAt };
  try {
    const receipt = await settings.memory.erasures.confirm({ ...refOf(of), proof, by: settings.by, under });
    tally.confirmed += 1;
    remembered.firstGone.delete(copy.placementId);
    remembered.due.delete(copy.placementId);
    settings.emit({ type: "copy_confirmed", ...of, proof });
    if (settings.recheckAfterSeconds.length > 0) {
      const { tenantKey, placementId, sink } = of;
      const remaining = settings.recheckAfterSeconds;
      remembered.rechecks.push({ tenantKey, placementId, sink, confirmedAt: settings.now(), remaining });
    }
    return { end: "confirmed", receipt };
  } catch (thrown) {
    if (codeOf(thrown) !== "ERR_CONFIRMATION_REJECTED") throw thrown;
    // The proof was enough, so either the lease does not hold any more, or the writer is not done.
    if (copy.writeDeadline === null) return lost(round, of);
    remembered.firstGone.delete(copy.placementId);
    return wait(round, of, "writer", Math.min(WRITER_SECONDS, pause(round, copy)));
  }
}

const WRITER_SECONDS = 30;

function lost(round: Round, of: Of): CopyEnd {
  round.remembered.firstGone.delete(of.placementId);
  return wait(round, of, "lease", 0);
}

type Wait = Extract<WorkerEvent, { type: "copy_waits" }>["for"];

function wait(round: Round, of: Of, reason: Wait, retryInSeconds: number): CopyEnd {
  round.tally.waiting += 1;
  round.settings.emit({ type: "copy_waits", ...of, for: reason, retryInSeconds });
  return { end: "later", inSeconds: retryInSeconds };
}

async function failed(round: Round, of: Of, copy: OutstandingPlacement, error: SinkError): Promise<CopyEnd> {
  const { settings, remembered, tally } = round;
  const { attemptCode: code } = error;
  await settings.memory.erasures.attempt({ ...refOf(of), outcome: "failed", code });
  const attempts = copy.attempts + 1;
  const inSeconds = pause(round, copy, error.retryAfterSeconds);
  tally.failed += 1;
  if (error instanceof BlindSinkError) {
    settings.emit({ type: "sink_blind", tenantKey: of.tenantKey, sink: of.sink, code });
  }
  settings.emit({ type: "copy_failed", ...of, code, attempts, retryInSeconds: inSeconds });
  if (attempts < settings.maxAttempts) return { end: "later", inSeconds };
  remembered.givenUp.add(copy.placementId);
  return { end: "left", escalate: escalationFor(code) };
}

function escalationFor(code: SinkError["attemptCode"]): EscalationCode {
  switch (code) {
    case "timeout":
    case "unavailable":
    case "rate_limited":
      return "sink_unreachable";
    case "refused":
    case "auth":
    case "still_present":
      return "sink_refuses";
    case "not_found":
      return "sink_gone";
    case "other":
      return "operator";
  }
}

/** What is left of the time between the first look that saw nothing and the one that may be believed. */
function secondsToSettle({ settings, remembered }: Round, sink: Sink, placementId: string): number {
  if (sink.settleSeconds === undefined || sink.settleSeconds <= 0) return 0;
  const first = remembered.firstGone.get(placementId);
  if (first === undefined) {
    remembered.firstGone.set(placementId, settings.now());
    return sink.settleSeconds;
  }
  return sink.settleSeconds - (settings.now() - first) / 1000;
}

function pause({ settings }: Round, copy: OutstandingPlacement, retryAfterSeconds?: number): number {
  return pauseAfter(copy.attempts + 1, settings.backoff, settings.random, retryAfterSeconds);
}

function erasureOf({ tenantKey, tombstoneId }: ErasureRef): ErasureRef {
  return { tenantKey, tombstoneId };
}

function refOf({ tenantKey, tombstoneId, placementId }: Of): ErasureRef & { readonly placementId: string } {
  return { tenantKey, tombstoneId, placementId };
}

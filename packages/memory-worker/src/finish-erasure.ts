import type { ErasureReceipt, ErasureRef, EscalationCode } from "@demystify/memory";
import { ErasureLease, releaseErasure } from "./erasure-lease.js";
import { finishCopy, RoundStopped } from "./finish-copy.js";
import type { Round } from "./round.js";
import type { OfCopy } from "./worker-event.js";

/**
 * Goes on with one erasure: resumes it where somebody left it between its steps, and takes its copies one by one.
 * Copies that fail are kept until they are due again, so that another worker does not try them sooner; whoever was told
 * to try at once may take them meanwhile.
 *
 * @throws whatever the store throws
 */
export async function finishErasure(round: Round, found: ErasureReceipt): Promise<void> {
  const { remembered, tally } = round;
  tally.erasures += 1;
  const erasure = { tenantKey: found.tenantKey, tombstoneId: found.tombstoneId };
  const receipt = await resumed(round, found);
  if (receipt.state === "complete") return;
  const mine = receipt.outstanding.filter((copy) => isOurs(round, { ...erasure, ...copy }));
  if (mine.length === 0) return;
  if (!round.isDue(erasure.tombstoneId)) {
    tally.waiting += mine.length;
    return;
  }

  const lease = await ErasureLease.take(round, erasure);
  const taken = await takeCopies(round, erasure, lease, receipt.state === "escalated", receipt.outstanding.length);
  if (taken.nextInSeconds === null) {
    if (taken.outstanding > 0) await lease.release();
    return;
  }
  round.setDue(erasure.tombstoneId, taken.nextInSeconds);
  if (taken.othersWait) {
    await lease.release();
    return;
  }
  await lease.keepIdle(taken.nextInSeconds);
  remembered.held.set(erasure.tombstoneId, erasure);
}

/** Gives back what is kept only because it is due later. */
export async function letGo(round: Round): Promise<void> {
  for (const erasure of round.remembered.held.values()) await releaseErasure(round, erasure);
  round.remembered.held.clear();
}

// What nobody here can do is counted, and told once, without leasing anything.
function isOurs(round: Round, copy: OfCopy): boolean {
  const { settings, remembered, tally } = round;
  const { tenantKey, tombstoneId, placementId, sink } = copy;
  const reason = reasonToLeave(round, copy);
  if (reason === null) return true;
  tally.left[reason === "no_adapter" ? "noAdapter" : reason === "manual" ? "manual" : "givenUp"] += 1;
  if (!remembered.toldLeft.has(placementId)) {
    settings.emit({ type: "copy_left", tenantKey, tombstoneId, placementId, sink, reason });
  }
  remembered.toldLeft.add(placementId);
  return false;
}

function reasonToLeave({ settings, remembered, retryGivenUp }: Round, { placementId, sink }: OfCopy) {
  const adapter = settings.sinks.get(sink);
  if (adapter === undefined) return "no_adapter";
  if (adapter.manual === true) return "manual";
  return remembered.givenUp.has(placementId) && !retryGivenUp ? "given_up" : null;
}

interface Taken {
  /** When the first of the copies that are left is due; `null`: none is, or the round was stopped. */
  readonly nextInSeconds: number | null;
  readonly outstanding: number;
  /** Some are for a worker with other sinks, so none is kept from it. */
  readonly othersWait: boolean;
}

async function takeCopies(
  round: Round,
  erasure: ErasureRef,
  lease: ErasureLease,
  escalated: boolean,
  expected: number,
): Promise<Taken> {
  const { settings, remembered, tally } = round;
  const leased = lease.copies;
  const next: number[] = [];
  let outstanding = leased.length;
  tally.waiting += Math.max(0, expected - outstanding);
  let escalation: EscalationCode | undefined;
  let othersWait = false;
  for (const copy of leased) {
    if (round.stopped) return { nextInSeconds: null, outstanding, othersWait };
    const adapter = settings.sinks.get(copy.sink);
    othersWait ||= adapter === undefined;
    if (adapter === undefined || reasonToLeave(round, { ...erasure, ...copy }) !== null) continue;
    if (!round.isDue(copy.placementId)) {
      tally.waiting += 1;
      next.push((remembered.due.get(copy.placementId) ?? 0) / 1000 - settings.now() / 1000);
      continue;
    }
    const end = await orStopped(finishCopy(round, erasure, adapter, copy.placementId, lease));
    if (end === "stopped") return { nextInSeconds: null, outstanding, othersWait };
    switch (end.end) {
      case "confirmed":
        outstanding -= 1;
        if (end.receipt.state === "complete") {
          remembered.due.delete(erasure.tombstoneId);
          remembered.held.delete(erasure.tombstoneId);
          tally.completed += 1;
          settings.emit({ type: "erasure_completed", ...erasure });
        }
        break;
      case "later":
        round.setDue(copy.placementId, end.inSeconds);
        next.push(end.inSeconds);
        break;
      case "left":
        escalation ??= end.escalate;
        break;
      case "another":
        break;
    }
  }
  if (escalation !== undefined && !escalated) {
    await settings.memory.erasures.escalate({ ...erasure, code: escalation });
    tally.escalated += 1;
    settings.emit({ type: "erasure_escalated", ...erasure, code: escalation });
  }
  return {
    nextInSeconds: next.length === 0 ? null : Math.max(0, Math.min(...next)),
    outstanding,
    othersWait,
  };
}

async function orStopped<Result>(work: Promise<Result>): Promise<Result | "stopped"> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof RoundStopped) return "stopped";
    throw thrown;
  }
}

// Somebody stopped between the steps, or a copy was confirmed before the rows were gone.
async function resumed(round: Round, receipt: ErasureReceipt): Promise<ErasureReceipt> {
  const { settings, remembered, tally } = round;
  const left = receipt.destroyedAt === undefined || receipt.outstanding.length === 0;
  if (receipt.state !== "in_progress" || !left || !isOld(round, receipt)) return receipt;
  const erasure = { tenantKey: receipt.tenantKey, tombstoneId: receipt.tombstoneId };
  const after = await settings.memory.erasures.resume(erasure);
  remembered.firstSeen.delete(erasure.tombstoneId);
  tally.resumed += 1;
  settings.emit({ type: "erasure_resumed", ...erasure });
  if (after.state === "complete") {
    tally.completed += 1;
    settings.emit({ type: "erasure_completed", ...erasure });
  }
  return after;
}

// By the store's clock, or by how long this process has seen it: one of the two clocks may be wrong.
function isOld({ settings, remembered }: Round, { tombstoneId, openedAt }: ErasureReceipt): boolean {
  const now = settings.now();
  const firstSeen = remembered.firstSeen.get(tombstoneId) ?? now;
  remembered.firstSeen.set(tombstoneId, firstSeen);
  return Math.max(now - Date.parse(openedAt), now - firstSeen) >= settings.resumeAfterSeconds * 1000;
}

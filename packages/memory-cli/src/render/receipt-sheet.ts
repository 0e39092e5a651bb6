import type { ErasureReceipt } from "@demystify/memory";
import { EXIT, type ExitCode } from "../cli-error.js";
import type { Sheet } from "./sheet.js";
import { amount } from "./words.js";

/** What an erasure's state means for the shell: 4 until it is complete. */
export function exitOfReceipt({ state }: Pick<ErasureReceipt, "state">): ExitCode {
  return state === "complete" ? EXIT.done : EXIT.inProgress;
}

/** A receipt as a terminal shows it, and what to do next where it is not complete. */
export function tellReceipt(sheet: Sheet, receipt: ErasureReceipt): void {
  const { counts } = receipt;
  const { memories, derived, placements } = counts;
  sheet.table(
    [],
    [
      ["erasure", receipt.tombstoneId],
      ["state", stateOf(receipt)],
      ["person", personOf(receipt)],
      ["asked by", `${receipt.requestedBy.role}: ${receipt.reason}, basis ${receipt.legalBasis}`],
      ["opened", receipt.openedAt],
      ["destroyed", receipt.destroyedAt ?? "not yet"],
      ["completed", receipt.completedAt ?? "not yet"],
      [
        receipt.destroyedAt === undefined ? "to erase" : "erased",
        `${amount(memories, "memory", "memories")}, ${amount(derived, "derived row")}${receipt.matched ? "" : " (we looked and found nothing)"}`,
      ],
      ["copies", `${placements.total} recorded, ${placements.outstanding} outstanding`],
      ["not reached", receipt.notCovered.join(", ")],
    ],
  );
  for (const step of nextSteps(receipt)) sheet.text(step);
}

function stateOf({ state, closure, owner, escalation }: ErasureReceipt): string {
  switch (state) {
    case "complete":
      return closure === "attested"
        ? "complete; a person vouched for what could not be confirmed"
        : "complete, confirmed";
    case "in_progress":
      return `in progress; next to move: ${owner}`;
    case "escalated":
      return `escalated (${escalation?.code ?? "unknown"}); next to move: a person`;
  }
}

function personOf({ subjectHash, subjectHashKeyed, scope }: ErasureReceipt): string {
  if (subjectHash === null) return `none (scope ${scope})`;
  return `${subjectHash.slice(0, 16)}… (${subjectHashKeyed ? "keyed hash" : "hash without a key: it can be guessed"})`;
}

function nextSteps(receipt: ErasureReceipt): readonly string[] {
  const { state, owner, tombstoneId, outstanding, destroyedAt } = receipt;
  if (state === "complete") return [];
  const steps: string[] = [];
  if (destroyedAt === undefined || owner === "library") {
    steps.push(`It stopped between two steps. Go on: demystify-memory retry ${tombstoneId}`);
  }
  if (outstanding.length > 0) {
    steps.push(
      `Waiting for ${copiesBySink(outstanding)}. The worker finishes them; by hand: demystify-memory erasure ${tombstoneId}, then confirm or attest each.`,
    );
  }
  if (receipt.escalation?.code === "closure_unknown") {
    steps.push(
      `Rows were imported without a record of what was made of them. Look for it, then: demystify-memory attest ${tombstoneId} --closure --by CODE --reference CASE-1`,
    );
  }
  if (receipt.escalation?.code === "hold_conflict") {
    steps.push(`A legal hold covers a shared row. After its release: demystify-memory retry ${tombstoneId}`);
  }
  return steps;
}

/** "2 copies in cache, 1 copy in search-index". */
export function copiesBySink(outstanding: readonly { readonly sink: string }[]): string {
  const counts = new Map<string, number>();
  for (const { sink } of outstanding) counts.set(sink, (counts.get(sink) ?? 0) + 1);
  return [...counts].map(([sink, count]) => `${amount(count, "copy", "copies")} in ${sink}`).join(", ");
}

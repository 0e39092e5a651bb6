import type { ErasureReceipt } from "@demystify/memory";
import { copiesBySink } from "../render/receipt-sheet.js";
import { meaningOf } from "../render/not-covered.js";
import { amount } from "../render/words.js";
import { basisInWords, originInWords, reasonInWords, roleInWords } from "./code-words.js";

/** A receipt in sentences, for whoever asked for the erasure. Made of ids, counts and codes: there is no content. */
export interface ReceiptPage {
  readonly title: string;
  readonly complete: boolean;
  /** The verdict, in one sentence. */
  readonly verdict: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly removed: readonly string[];
  /** What is still open, with what it waits for. Empty if complete. */
  readonly open: readonly string[];
  readonly notReached: readonly { readonly code: string; readonly why: string }[];
  readonly remarks: readonly string[];
}

export function receiptPage(receipt: ErasureReceipt): ReceiptPage {
  return {
    title: "Erasure receipt",
    complete: receipt.state === "complete",
    verdict: verdictOf(receipt),
    facts: factsOf(receipt),
    removed: removedBy(receipt),
    open: openIn(receipt),
    notReached: receipt.notCovered.map((code) => ({ code, why: `${meaningOf(code)}.` })),
    remarks: remarksOn(receipt),
  };
}

function verdictOf({ state, closure, matched, completedAt }: ErasureReceipt): string {
  if (state !== "complete") {
    return "This erasure is NOT complete. Its content can no longer be read here, but not everything is known to be gone.";
  }
  const when = `on ${inWords(completedAt)}`;
  if (!matched) return `We looked and found nothing to erase; the search was completed ${when}.`;
  return closure === "attested"
    ? `The erasure was completed ${when}. Part of it could not be confirmed by looking, and a person vouches for it.`
    : `The erasure was completed ${when}, and every recorded copy was confirmed gone.`;
}

function factsOf(receipt: ErasureReceipt): ReceiptPage["facts"] {
  const { subjectHash, scope, escalation } = receipt;
  const facts: [string, string][] = [
    ["Reference", receipt.tombstoneId],
    ["Held for", receipt.tenantKey],
    ["Scope", SCOPES[scope]],
  ];
  if (subjectHash !== null) facts.push(["Person (hash)", subjectHash]);
  facts.push(
    ["Asked for by", roleInWords(receipt.requestedBy.role)],
    ["Reason", reasonInWords(receipt.reason)],
    ["Legal ground", basisInWords(receipt.legalBasis)],
    ["How", originInWords(receipt.origin)],
    ["Opened", inWords(receipt.openedAt)],
    ["Rows destroyed", inWords(receipt.destroyedAt)],
    ["Completed", inWords(receipt.completedAt)],
  );
  if (escalation !== undefined) facts.push(["Taken over", `${inWords(escalation.at)} (${escalation.code})`]);
  return facts;
}

const SCOPES: Readonly<Record<ErasureReceipt["scope"], string>> = {
  subject: "everything filed under one person, and everything derived from it",
  memories: "chosen entries, and everything derived from them",
  derived: "derived entries that were deleted directly",
};

function removedBy({ destroyedAt, counts, cascadeDepth }: ErasureReceipt): readonly string[] {
  const { memories, derived, provenanceEdges, placements } = counts;
  const verb = (count: number) => {
    if (destroyedAt === undefined) return count === 1 ? "is to be destroyed" : "are to be destroyed";
    return count === 1 ? "was destroyed" : "were destroyed";
  };
  const removed = [
    `${amount(memories, "entry", "entries")} (what was stored about the person) ${verb(memories)}.`,
    `${amount(derived, "derived entry", "derived entries")} (summaries and the like made from them${depthInWords(derived, cascadeDepth)}) ${verb(derived)}, with ${amount(provenanceEdges, "record")} of what was made from what.`,
  ];
  if (placements.total > 0) {
    removed.push(
      `${amount(placements.total, "copy was", "copies were")} recorded in other systems: ${placements.confirmed} confirmed gone, ${placements.attested} vouched for by a person, ${placements.outstanding} still outstanding.`,
    );
  } else {
    removed.push("No copy was recorded in any other system.");
  }
  return removed;
}

function depthInWords(derived: number, depth: number): string {
  return derived === 0 ? "" : `, up to ${amount(depth, "step")} away`;
}

function openIn({ state, outstanding, destroyedAt, escalation, owner }: ErasureReceipt): readonly string[] {
  if (state === "complete") return [];
  const open: string[] = [];
  if (destroyedAt === undefined) open.push("The rows are hidden from every read, and not destroyed yet.");
  if (outstanding.length > 0) open.push(`Not confirmed gone: ${copiesBySink(outstanding)}.`);
  if (escalation?.code === "closure_unknown") {
    open.push("Entries came from a system that kept no record of what was made from them; a person has to look there.");
  }
  if (escalation?.code === "hold_conflict") open.push("Entries shared with another person are under a legal hold.");
  open.push(`Next to act: ${OWNERS[owner]}.`);
  return open;
}

const OWNERS: Readonly<Record<ErasureReceipt["owner"], string>> = {
  library: "the software, when it is run again",
  worker: "the service that removes copies from other systems",
  person: "a person at the controller",
};

function remarksOn(receipt: ErasureReceipt): readonly string[] {
  const { otherSubjects, rebuildable, subjectHash, subjectHashKeyed, unknownIds } = receipt;
  const remarks: string[] = [];
  if (otherSubjects > 0) {
    remarks.push(
      `${amount(otherSubjects, "other person", "other persons")} shared an entry that went; ${amount(rebuildable.length, "entry", "entries")} can be made again from what is left.`,
    );
  }
  if (subjectHash !== null) {
    remarks.push(
      subjectHashKeyed
        ? "The person is named by a keyed hash: whoever holds the key and the identifier can find this receipt, others cannot."
        : "The person is named by a hash without a key: whoever guesses the identifier can find this receipt.",
    );
  }
  const unknown = unknownIds.alreadyErased + unknownIds.neverSeen;
  if (unknown > 0) {
    remarks.push(
      `Of the entries asked for, ${unknownIds.alreadyErased} had been erased before and ${unknownIds.neverSeen} were never stored.`,
    );
  }
  return remarks;
}

/** UTC, to the second, the same everywhere. */
function inWords(instant: string | undefined): string {
  if (instant === undefined) return "not yet";
  const date = new Date(instant);
  const month = MONTHS[date.getUTCMonth()] ?? "";
  return `${date.getUTCDate()} ${month} ${date.getUTCFullYear()}, ${date.toISOString().slice(11, 19)} UTC`;
}

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

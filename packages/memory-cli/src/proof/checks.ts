import { isDeepStrictEqual } from "node:util";
import type { ErasurePreview, ErasureReceipt, ReconcileAnswer } from "@demystify/memory";
import { amount, digests } from "../render/words.js";
import type { Literal, LiteralKind } from "./literals.js";
import type { Observation, Target } from "./observe.js";
import type { Scan } from "./scan.js";

/** One claim, whether it holds, and the numbers it stands on. */
export interface Check {
  /** Stable, for scripts. */
  readonly id: string;
  readonly ok: boolean;
  readonly claim: string;
  readonly detail: string;
}

/** Everything the checks compare. No content in it but the literals, which are never printed. */
export interface Evidence {
  readonly target: Target;
  readonly preview: ErasurePreview;
  readonly receipt: ErasureReceipt;
  /** The receipt as the database tells it after it was opened anew. */
  readonly receiptAfterRestart: ErasureReceipt;
  readonly before: Observation;
  readonly after: Observation;
  /** Files outside the database that hold texts of the person, and of others. */
  readonly copies: { readonly before: FileCounts; readonly after: FileCounts };
  /** The person's tombstones, newest first, found by the person's key. */
  readonly history: readonly { readonly tombstoneId: string; readonly state: string }[];
  /** The code of the error with which a late derivation from an erased memory was refused; `null`: it was stored. */
  readonly lateDerivation: string | null;
  /** What the library's own sweep over the tenant says. */
  readonly reconciliation: ReconcileAnswer;
  /** What the database says about its own rules. */
  readonly rules: readonly { readonly checkName: string; readonly ok: boolean }[];
}

export interface FileCounts {
  readonly own: number;
  readonly others: number;
}

/** Judges the evidence. Pure: the same evidence gives the same verdicts. */
export function judge(evidence: Evidence): readonly Check[] {
  return [
    control,
    masked,
    previewed,
    receipt,
    counted,
    rowsGone,
    digestsGone,
    nothingRead,
    nothingFound,
    copiesGone,
    others,
    tombstone,
    noWayBack,
    reconciled,
    rulesStand,
  ].flatMap((check) => check(evidence) ?? []);
}

/** A scan that never finds anything proves nothing: first it has to find the person. */
function control({ target, before }: Evidence): Check {
  const stored = target.literals.filter((literal) => literal.kind === "text_as_stored");
  const found = stored.filter((literal) => before.scan.found.has(literal));
  const places = placesOf(before.scan);
  return {
    id: "control",
    ok: stored.length > 0 && found.length === stored.length && before.present.memories === target.memoryIds.length,
    claim: "Before the erasure, the scan does find the person",
    detail: `${found.length} of ${amount(stored.length, "text")} found, in ${places.join(", ") || "no column"}`,
  };
}

/** Identifiers are masked before the write, so not even the scan before the erasure may find one. */
function masked({ target, before }: Evidence): Check | null {
  const identifiers = target.literals.filter((literal) => literal.kind === "identifier");
  if (identifiers.length === 0) return null;
  const found = identifiers.filter((literal) => before.scan.found.has(literal));
  return {
    id: "identifiers_never_stored",
    ok: found.length === 0,
    claim: "The person's identifiers were never stored",
    detail: `${found.length} of ${identifiers.length} spellings found before the erasure`,
  };
}

function previewed({ target, preview }: Evidence): Check {
  const memories = sameIds(preview.ids.memories, target.memoryIds);
  const derived = sameIds(
    preview.ids.derived,
    target.digests.map((digest) => digest.derivedId),
  );
  return {
    id: "preview",
    ok: memories && derived,
    claim: "The preview named exactly what was written from the person's messages",
    detail: `${preview.counts.memories} memories and ${preview.counts.derived} derived rows, ${preview.cascadeDepth} levels deep`,
  };
}

function receipt({ receipt, receiptAfterRestart }: Evidence): Check {
  const same = isDeepStrictEqual(throughJson(receipt), throughJson(receiptAfterRestart));
  return {
    id: "receipt",
    ok: receipt.state === "complete" && receipt.closure === "confirmed" && receipt.matched && same,
    claim: "The receipt says complete, and says the same after the database was opened anew",
    detail: `state ${receipt.state}, closure ${receipt.closure ?? "none"}, ${same ? "the same receipt" : "another receipt"} afterwards`,
  };
}

function counted({ receipt, before, after }: Evidence): Check {
  const lost = {
    memories: before.totals.memories - after.totals.memories,
    derived: before.totals.derived - after.totals.derived,
    provenanceEdges: before.totals.provenanceEdges - after.totals.provenanceEdges,
  };
  const { counts } = receipt;
  return {
    id: "counts",
    ok:
      counts.memories === lost.memories &&
      counts.derived === lost.derived &&
      counts.provenanceEdges === lost.provenanceEdges,
    claim: "The receipt's counts are what SQL counts",
    detail: `memories ${before.totals.memories} → ${after.totals.memories} (receipt: ${counts.memories}), derived rows ${before.totals.derived} → ${after.totals.derived} (receipt: ${counts.derived}), provenance edges ${before.totals.provenanceEdges} → ${after.totals.provenanceEdges} (receipt: ${counts.provenanceEdges})`,
  };
}

function rowsGone({ target, after }: Evidence): Check {
  return {
    id: "memories_gone",
    ok: after.present.memories === 0,
    claim: "The person's memories are gone from the table",
    detail: `${after.present.memories} of ${target.memoryIds.length} left`,
  };
}

function digestsGone({ target, after }: Evidence): Check {
  return {
    id: "derived_gone",
    ok: after.present.digests.length === 0,
    claim: "The person's summary, and every digest it shared with others, is gone",
    detail: `of ${digests(target.digests)}: ${digests(after.present.digests)} left`,
  };
}

function nothingRead({ before, after }: Evidence): Check {
  const { reads } = after;
  return {
    id: "recall_empty",
    ok: reads.hits + reads.amongAll + reads.listed + reads.fetched === 0 && before.reads.hits + before.reads.listed > 0,
    claim: "Recall, lists and look-ups show nothing of the person",
    detail: `hits before and now: ${before.reads.hits} → ${reads.hits} when asked about the person (${amount(reads.asked, "question")}), ${before.reads.amongAll} → ${reads.amongAll} when asked about everybody; listed: ${before.reads.listed} → ${reads.listed}; found by id: ${before.reads.fetched} → ${reads.fetched}`,
  };
}

function nothingFound({ target, before, after }: Evidence): Check {
  const { scan } = after;
  const places = placesOf(scan);
  return {
    id: "nothing_found",
    ok: scan.found.size === 0 && scan.tables === before.scan.tables && scan.columns === before.scan.columns,
    claim: "The same scan of every column of every table finds nothing",
    detail: `${scan.found.size} of ${target.literals.length} found (${kindsOf(target.literals)}) in ${scan.tables} tables, ${scan.columns} columns, ${amount(scan.rows, "row")}, and the planner's statistics of ${scan.statistics} columns${places.length > 0 ? `: ${places.join(", ")}` : ""}`,
  };
}

function copiesGone({ copies: { before, after }, receipt }: Evidence): Check {
  const { placements } = receipt.counts;
  return {
    id: "copies_gone",
    ok:
      before.own > 0 &&
      after.own === 0 &&
      after.others === before.others &&
      placements.outstanding === 0 &&
      placements.confirmed === before.own,
    claim: "The copies outside the database are gone, and nobody else's",
    detail: `files with texts of the person: ${before.own} → ${after.own}, of others: ${before.others} → ${after.others}; receipt: ${placements.confirmed} of ${placements.total} confirmed`,
  };
}

function others({ before, after }: Evidence): Check {
  const memories = before.others.memories;
  const derived = before.others.derived;
  const same =
    memories.rows === after.others.memories.rows &&
    memories.sha256 === after.others.memories.sha256 &&
    derived.rows === after.others.derived.rows &&
    derived.sha256 === after.others.derived.sha256;
  return {
    id: "others_untouched",
    ok: same,
    claim: "Everybody else's rows are the same, byte for byte",
    detail: `memories ${memories.rows} → ${after.others.memories.rows} (SHA-256 ${short(memories.sha256)} → ${short(after.others.memories.sha256)}), derived rows ${derived.rows} → ${after.others.derived.rows} (${short(derived.sha256)} → ${short(after.others.derived.sha256)})`,
  };
}

function tombstone({ receipt, history }: Evidence): Check {
  const found = history.find((each) => each.tombstoneId === receipt.tombstoneId);
  return {
    id: "tombstone",
    ok: found?.state === "complete",
    claim: "The history keeps a tombstone without content",
    detail: `${history.length} found by the person's key, ${found === undefined ? "not this one" : `this one ${found.state}`}`,
  };
}

function noWayBack({ lateDerivation }: Evidence): Check {
  return {
    id: "no_way_back",
    ok: lateDerivation === "ERR_SOURCE_FORGOTTEN",
    claim: "A job that still holds an erased id cannot derive from it",
    detail: lateDerivation === null ? "it was stored" : `refused with ${lateDerivation}`,
  };
}

function reconciled({ reconciliation }: Evidence): Check {
  const { coverage, findings } = reconciliation;
  // That somebody else wrote the same words as the person did is worth telling, and no fault of the erasure.
  const same = findings.filter((finding) => finding.code === "content_reappeared");
  const residue = findings.filter((finding) => !same.includes(finding));
  const codes = [...new Set(residue.map((finding) => finding.code))].join(", ");
  return {
    id: "reconciled",
    ok: residue.length === 0 && coverage.tombstones > 0 && coverage.personsUnchecked === 0,
    claim: "Comparing the tombstones with what lives finds no residue",
    detail: `${amount(residue.length, "finding")}${codes === "" ? "" : ` (${codes})`} in ${amount(coverage.memories, "memory", "memories")}, ${amount(coverage.derived, "derived row")} and ${amount(coverage.tombstones, "tombstone")}; texts of others that say the same as an erased one: ${same.length}`,
  };
}

function rulesStand({ rules }: Evidence): Check {
  const broken = rules.filter((rule) => !rule.ok).map((rule) => rule.checkName);
  return {
    id: "rules_stand",
    ok: rules.length > 0 && broken.length === 0,
    claim: "The database's own rules are in force",
    detail: `${rules.length - broken.length} of ${rules.length} hold by verify_install()${broken.length === 0 ? "" : `; broken: ${broken.join(", ")}`}`,
  };
}

function placesOf(scan: Scan): readonly string[] {
  return [...new Set([...scan.found.values()].flatMap((places) => [...places]))].sort();
}

const KIND_NAMES: Readonly<Record<LiteralKind, string>> = {
  subject_key: "key",
  text_as_given: "texts as given",
  text_as_stored: "texts as stored",
  identifier: "spellings of identifiers",
};

function kindsOf(literals: readonly Literal[]): string {
  return (Object.keys(KIND_NAMES) as LiteralKind[])
    .map((kind) => [literals.filter((literal) => literal.kind === kind).length, KIND_NAMES[kind]] as const)
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(", ");
}

function sameIds(a: readonly string[], b: readonly string[]): boolean {
  const set = new Set(a);
  return a.length === b.length && b.every((id) => set.has(id));
}

/** A receipt survives JSON; what does not is no part of it. */
function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function short(hash: string): string {
  return hash.slice(0, 12);
}

import type { ErasurePreview, ErasureReceipt, FindingCode, ReconcileAnswer } from "@demystify/memory";
import { describe, expect, test } from "vitest";
import { judge, type Evidence } from "../src/proof/checks.js";
import type { Literal } from "../src/proof/literals.js";
import type { Observation } from "../src/proof/observe.js";

const KEY: Literal = { kind: "subject_key", value: "customer:1", whole: true };
const TEXT: Literal = { kind: "text_as_stored", value: "call me on [PHONE:****3210]", whole: false };
const PHONE: Literal = { kind: "identifier", value: "9876543210", whole: true };

const RECEIPT = {
  tombstoneId: "tombstone",
  state: "complete",
  closure: "confirmed",
  matched: true,
  counts: {
    memories: 2,
    derived: 1,
    provenanceEdges: 3,
    placements: { total: 2, confirmed: 2, attested: 0, outstanding: 0 },
  },
} as ErasureReceipt;

const PREVIEW = {
  ids: { memories: ["m1", "m2"], derived: ["d1"], placements: [] },
  counts: { memories: 2, derived: 1, provenanceEdges: 3, placements: 0 },
  cascadeDepth: 1,
} as unknown as ErasurePreview;

const BEFORE: Observation = {
  scan: {
    tables: 15,
    columns: 130,
    rows: 20,
    statistics: 9,
    otherTenantRows: 0,
    found: new Map([
      [KEY, new Set(["memory.subject_key"])],
      [TEXT, new Set(["memory.text"])],
    ]),
  },
  others: { memories: { rows: 7, sha256: "aa" }, derived: { rows: 4, sha256: "bb" } },
  totals: { memories: 9, derived: 5, provenanceEdges: 13 },
  present: { memories: 2, digests: [{ kind: "summary", derivedId: "d1", subjectKeys: new Set(["customer:1"]) }] },
  reads: { asked: 2, hits: 5, amongAll: 3, listed: 3, fetched: 3 },
};

const AFTER: Observation = {
  scan: { ...BEFORE.scan, found: new Map() },
  others: BEFORE.others,
  totals: { memories: 7, derived: 4, provenanceEdges: 10 },
  present: { memories: 0, digests: [] },
  reads: { asked: 2, hits: 0, amongAll: 0, listed: 0, fetched: 0 },
};

function sweep(codes: readonly FindingCode[], unchecked = 0): ReconcileAnswer {
  return {
    verdict: "clean",
    findings: codes.map((code) => ({ code, kind: "memory", id: "m9" })),
    coverage: {
      memories: 7,
      derived: 4,
      placements: 0,
      tombstones: 1,
      persons: 3,
      personsUnchecked: unchecked,
      contentUnchecked: 0,
    },
    repaired: 0,
  };
}

const GOOD: Evidence = {
  target: {
    tenantKey: "t",
    subjectKey: "customer:1",
    memoryIds: ["m1", "m2"],
    digests: BEFORE.present.digests,
    literals: [KEY, TEXT, PHONE],
    questions: ["call me", "hello"],
  },
  preview: PREVIEW,
  receipt: RECEIPT,
  receiptAfterRestart: { ...RECEIPT },
  copies: { before: { own: 2, others: 1 }, after: { own: 0, others: 1 } },
  before: BEFORE,
  after: AFTER,
  history: [{ tombstoneId: "tombstone", state: "complete" }],
  lateDerivation: "ERR_SOURCE_FORGOTTEN",
  reconciliation: sweep([]),
  rules: [{ checkName: "tombstone_is_append_only", ok: true }],
};

function failing(evidence: Evidence): readonly string[] {
  return judge(evidence).flatMap(({ id, ok }) => (ok ? [] : [id]));
}

function found(literal: Literal): ReadonlyMap<Literal, ReadonlySet<string>> {
  return new Map([[literal, new Set(["some.column"])]]);
}

describe("the checks of the proof", () => {
  test("all pass on good evidence", () => {
    expect(judge(GOOD)).toHaveLength(15);
    expect(failing(GOOD)).toEqual([]);
  });

  test.each<[string, Partial<Evidence>, string]>([
    [
      "the scan does not find the person beforehand",
      { before: { ...BEFORE, scan: { ...BEFORE.scan, found: found(KEY) } } },
      "control",
    ],
    [
      "the person's rows were not all there beforehand",
      { before: { ...BEFORE, present: { ...BEFORE.present, memories: 1 } } },
      "control",
    ],
    ["no text of the person can be told from others'", { target: { ...GOOD.target, literals: [KEY] } }, "control"],
    [
      "an identifier was stored",
      { before: { ...BEFORE, scan: { ...BEFORE.scan, found: new Map([...BEFORE.scan.found, ...found(PHONE)]) } } },
      "identifiers_never_stored",
    ],
    [
      "the preview left a memory out",
      { preview: { ...PREVIEW, ids: { ...PREVIEW.ids, memories: ["m1"] } } },
      "preview",
    ],
    [
      "the preview named a row too many",
      { preview: { ...PREVIEW, ids: { ...PREVIEW.ids, derived: ["d1", "d2"] } } },
      "preview",
    ],
    [
      "the erasure is not complete",
      { receipt: { ...RECEIPT, state: "in_progress" }, receiptAfterRestart: { ...RECEIPT, state: "in_progress" } },
      "receipt",
    ],
    [
      "a person vouched for the closure",
      { receipt: { ...RECEIPT, closure: "attested" }, receiptAfterRestart: { ...RECEIPT, closure: "attested" } },
      "receipt",
    ],
    ["the receipt is another one after a restart", { receiptAfterRestart: { ...RECEIPT, cascadeDepth: 9 } }, "receipt"],
    ["the receipt counts more than SQL", { after: { ...AFTER, totals: { ...AFTER.totals, memories: 8 } } }, "counts"],
    ["a provenance edge is left", { after: { ...AFTER, totals: { ...AFTER.totals, provenanceEdges: 11 } } }, "counts"],
    ["a memory is left", { after: { ...AFTER, present: { memories: 1, digests: [] } } }, "memories_gone"],
    [
      "a digest is left",
      { after: { ...AFTER, present: { memories: 0, digests: BEFORE.present.digests } } },
      "derived_gone",
    ],
    ["recall for the person has a hit", { after: { ...AFTER, reads: { ...AFTER.reads, hits: 1 } } }, "recall_empty"],
    [
      "recall for everybody has a hit of the person",
      { after: { ...AFTER, reads: { ...AFTER.reads, amongAll: 1 } } },
      "recall_empty",
    ],
    ["a row of the person is listed", { after: { ...AFTER, reads: { ...AFTER.reads, listed: 1 } } }, "recall_empty"],
    [
      "a row of the person is found by id",
      { after: { ...AFTER, reads: { ...AFTER.reads, fetched: 1 } } },
      "recall_empty",
    ],
    [
      "the scan still finds the key",
      { after: { ...AFTER, scan: { ...AFTER.scan, found: found(KEY) } } },
      "nothing_found",
    ],
    [
      "the scan looked at fewer columns",
      { after: { ...AFTER, scan: { ...AFTER.scan, columns: 129 } } },
      "nothing_found",
    ],
    [
      "somebody else lost a row",
      { after: { ...AFTER, others: { ...BEFORE.others, memories: { rows: 6, sha256: "aa" } } } },
      "others_untouched",
    ],
    [
      "a byte of somebody else's digest changed",
      { after: { ...AFTER, others: { ...BEFORE.others, derived: { rows: 4, sha256: "bc" } } } },
      "others_untouched",
    ],
    [
      "a copy outside the database is left",
      { copies: { before: { own: 2, others: 1 }, after: { own: 1, others: 1 } } },
      "copies_gone",
    ],
    [
      "somebody else's copy went too",
      { copies: { before: { own: 2, others: 1 }, after: { own: 0, others: 0 } } },
      "copies_gone",
    ],
    [
      "no copy was there to begin with",
      { copies: { before: { own: 0, others: 1 }, after: { own: 0, others: 1 } } },
      "copies_gone",
    ],
    ["there is no tombstone", { history: [] }, "tombstone"],
    ["the tombstone is another one", { history: [{ tombstoneId: "other", state: "complete" }] }, "tombstone"],
    ["a sweep finds what was forgotten alive", { reconciliation: sweep(["forgotten_but_live"]) }, "reconciled"],
    ["a sweep could not look at somebody", { reconciliation: sweep([], 1) }, "reconciled"],
    ["a rule of the database is off", { rules: [{ checkName: "tombstone_is_append_only", ok: false }] }, "rules_stand"],
    ["the database names no rules", { rules: [] }, "rules_stand"],
    ["a late derivation was stored", { lateDerivation: null }, "no_way_back"],
    ["a late derivation failed for another reason", { lateDerivation: "ERR_STORE" }, "no_way_back"],
  ])("one fails where %s", (_case, change, check) => {
    expect(failing({ ...GOOD, ...change })).toEqual([check]);
  });

  test("pass where somebody else wrote the same words, and say so", () => {
    const evidence = { ...GOOD, reconciliation: sweep(["content_reappeared"]) };

    expect(failing(evidence)).toEqual([]);
    expect(judge(evidence).find(({ id }) => id === "reconciled")?.detail).toContain("the same as an erased one: 1");
  });

  test("no detail quotes a literal", () => {
    const leaking: Evidence = { ...GOOD, after: { ...AFTER, scan: { ...AFTER.scan, found: BEFORE.scan.found } } };

    for (const { detail } of judge(leaking)) {
      for (const { value } of GOOD.target.literals) expect(detail).not.toContain(value);
    }
  });
});

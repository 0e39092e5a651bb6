import type { Finding, ReconcileCoverage } from "./reconciliation.js";

/**
 * What a sweep may say. `clean`: everything could be looked at, and nothing was found. `residue`: something is not as
 * it should be. `unchecked`: nothing was found, and not everything could be looked at, so nobody may say `clean`.
 */
export type Verdict = "clean" | "residue" | "unchecked";

/**
 * The rule, in this order:
 *
 * 1. `residue` where there is any finding but `provenance_unknown`: content, evidence or a rule is not as it should be.
 *    An overdue erasure is one of them, because a copy may still answer.
 * 2. `unchecked` where something could not be looked at: a row whose derivations nobody recorded
 *    (`provenance_unknown`), a row without content tags although there is a pepper to make them with, a person under a
 *    key that this process does not hold.
 * 3. `clean` otherwise. Without a pepper there are no content tags anywhere: that an erased text came back is then
 *    outside what a sweep promises, and `coverage.contentUnchecked` says for how many rows.
 */
export function verdictOf(findings: readonly Finding[], coverage: ReconcileCoverage, keyed: boolean): Verdict {
  if (findings.some(({ code }) => code !== "provenance_unknown")) return "residue";
  const unlooked = findings.length + coverage.personsUnchecked + (keyed ? coverage.contentUnchecked : 0);
  return unlooked > 0 ? "unchecked" : "clean";
}

import type { Candidate } from "./candidate.js";
import { KIND_RULES } from "./kinds.js";

/**
 * The one rule for candidates that claim the same characters: the longest wins, then the kind of lower rank, then the
 * one that starts first. What is left is sorted and disjoint.
 */
export function settle<T extends Candidate>(candidates: readonly T[]): readonly T[] {
  if (isSettled(candidates)) return candidates;
  const sorted = [...candidates].sort((a, b) => a.start - b.start || preference(a, b));
  const settled: T[] = [];
  for (const candidate of sorted) {
    const last = settled[settled.length - 1];
    if (last === undefined || candidate.start >= last.end) settled.push(candidate);
    else if (preference(candidate, last) < 0) settled[settled.length - 1] = candidate;
  }
  return settled;
}

function isSettled(candidates: readonly Candidate[]): boolean {
  let reached = 0;
  for (const { start, end } of candidates) {
    if (start < reached) return false;
    reached = end;
  }
  return true;
}

/** Negative if `a` wins over `b`. */
export function preference(a: Candidate, b: Candidate): number {
  return b.end - b.start - (a.end - a.start) || KIND_RULES[a.kind].rank - KIND_RULES[b.kind].rank;
}

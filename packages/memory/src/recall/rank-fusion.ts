import { compareRanked } from "./ranking-order.js";

/** A hit of one of the rankings that are fused. */
interface Hit {
  readonly kind: "memory" | "derived";
  readonly row: { readonly createdAt: string; readonly memoryId?: string; readonly derivedId?: string };
}

/** How far down a rank still counts: the usual constant of reciprocal rank fusion (Cormack et al., 2009). */
const DAMPING = 60;

/**
 * Several rankings as one, by their ranks alone, since their scores have nothing in common: a row scores the sum of
 * 1 / (60 + rank) over the rankings it is in, as a share of what the first of all of them would score.
 */
export function fuseRankings<Ranked extends Hit>(
  rankings: readonly (readonly Ranked[])[],
): readonly (Ranked & { readonly score: number })[] {
  const best = rankings.length / (DAMPING + 1);
  const fused = new Map<string, { readonly hit: Ranked; readonly id: string; sum: number }>();
  for (const ranking of rankings) {
    for (const [index, hit] of ranking.entries()) {
      const id = hit.row.memoryId ?? hit.row.derivedId ?? "";
      const key = `${hit.kind}:${id}`;
      const known = fused.get(key) ?? { hit, id, sum: 0 };
      known.sum += 1 / (DAMPING + index + 1);
      fused.set(key, known);
    }
  }
  return [...fused.values()]
    .map(({ hit, id, sum }) => ({ hit, score: sum / best, createdAt: hit.row.createdAt, id }))
    .sort(compareRanked)
    .map(({ hit, score }) => ({ ...hit, score: Math.min(1, score) }));
}

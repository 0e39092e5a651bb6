/**
 * What each term of a query weighs, in whole millionths so that sums are exact: the rarer, the more. The same formula
 * stands in SQL (`recall_bm25`).
 *
 * @param rows how many rows hold any of the terms
 * @param holding for each term how many of these hold it
 */
export function rarityWeights(rows: number, holding: readonly number[]): readonly number[] {
  return holding.map((count) =>
    Math.max(1, Math.floor(0.5 + 1_000_000 * Math.log(1 + (rows - count + 0.5) / (count + 0.5)))),
  );
}

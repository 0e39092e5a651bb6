/** The items after an id, in the order of their ids, up to a limit; without sorting those that are left out. */
export function firstById<Item>(
  items: Iterable<Item>,
  { after, limit }: { readonly after: string | null; readonly limit: number },
  idOf: (item: Item) => string,
): Item[] {
  const compare = (a: Item, b: Item) => (idOf(a) < idOf(b) ? -1 : 1);
  let kept: Item[] = [];
  let bound: string | null = null;
  for (const item of items) {
    const id = idOf(item);
    if ((after !== null && id <= after) || (bound !== null && id >= bound)) continue;
    kept.push(item);
    if (kept.length < 2 * limit) continue;
    kept = kept.sort(compare).slice(0, limit);
    const last = kept.at(-1);
    bound = last === undefined ? null : idOf(last);
  }
  return kept.sort(compare).slice(0, limit);
}

import type { LineageNode, Memory, RowKind } from "@demystify/memory";

/** A row with everything it was made from, everything made of it, and who was made from whom. */
export interface LineageGraph {
  readonly kind: RowKind;
  readonly id: string;
  readonly ancestors: readonly LineageNode[];
  readonly descendants: readonly LineageNode[];
  /** From source to what was made of it. */
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly copies: readonly { readonly placementId: string; readonly sink: string }[];
}

/** `null`: there is no such row that may be read. */
export async function readLineage(
  memory: Pick<Memory, "lineage" | "getDerived">,
  tenantKey: string,
  row: { readonly kind: RowKind; readonly id: string },
): Promise<LineageGraph | null> {
  const lineage = await memory.lineage({ tenantKey, ...row });
  if (lineage === null) return null;
  const { ancestors, descendants, placements } = lineage;
  const nodes = [row, ...ancestors, ...descendants];
  const known = new Set(nodes.map(({ id }) => id));
  const edges: { from: string; to: string }[] = [];
  for (const { kind, id } of nodes) {
    const derived = kind === "derived" ? await memory.getDerived(tenantKey, id) : null;
    for (const { sourceId } of derived?.sources ?? []) if (known.has(sourceId)) edges.push({ from: sourceId, to: id });
  }
  return { ...row, ancestors, descendants, edges, copies: placements };
}

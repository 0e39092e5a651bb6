import { ROW_KINDS, type RowKind } from "./codes.js";
import { readOneOf } from "./input/codes.js";
import { at, readArray, readFields } from "./input/fields.js";
import { readKey } from "./input/strings.js";

/** One provenance edge: the derived row, and one row it was made from. */
export interface ProvenanceEdge {
  readonly derivedId: string;
  readonly sourceKind: RowKind;
  readonly sourceId: string;
}

/**
 * Every derived row that is reachable from the given memories, in the order of distance, and the distance of the
 * furthest (0 if there is none). A cycle forced in by hand ends like any other path.
 *
 * The same closure an erasure follows, over edges in hand; it looks at no store.
 *
 * @throws InvalidInputError
 */
export function cascadeDerived(input: {
  readonly memoryIds: readonly string[];
  readonly edges: readonly ProvenanceEdge[];
}): { readonly derivedIds: readonly string[]; readonly depth: number } {
  const fields = readFields(input, ["memoryIds", "edges"]);
  const memoryIds = readArray(fields.memoryIds, "memoryIds", ANY_NUMBER).map((id, i) =>
    readKey(id, at("memoryIds", i)),
  );
  const derivedFrom = indexEdges(readArray(fields.edges, "edges", ANY_NUMBER));

  const found = new Set<string>();
  let level = memoryIds.map((id) => sourceName("memory", id));
  let depth = 0;
  while (level.length > 0) {
    const next: string[] = [];
    for (const source of level) {
      for (const derivedId of derivedFrom.get(source) ?? []) {
        if (found.has(derivedId)) continue;
        found.add(derivedId);
        next.push(sourceName("derived", derivedId));
      }
    }
    if (next.length > 0) depth += 1;
    level = next;
  }
  return { derivedIds: [...found], depth };
}

const ANY_NUMBER = { min: 0, max: Number.MAX_SAFE_INTEGER };

function indexEdges(edges: readonly unknown[]): ReadonlyMap<string, readonly string[]> {
  const derivedFrom = new Map<string, string[]>();
  edges.forEach((edge, index) => {
    const place = at("edges", index);
    const fields = readFields(edge, ["derivedId", "sourceKind", "sourceId"], place);
    const derivedId = readKey(fields.derivedId, at(place, "derivedId"));
    const source = sourceName(
      readOneOf(fields.sourceKind, at(place, "sourceKind"), ROW_KINDS),
      readKey(fields.sourceId, at(place, "sourceId")),
    );
    const known = derivedFrom.get(source);
    if (known === undefined) derivedFrom.set(source, [derivedId]);
    else known.push(derivedId);
  });
  return derivedFrom;
}

function sourceName(kind: RowKind, id: string): string {
  return `${kind} ${id}`;
}

import { InvalidInputError, ProvenanceRequiredError, UnknownSourceError } from "../../errors.js";
import { ROW_KINDS } from "../codes.js";
import type { SourceRef } from "../rows.js";
import { readOneOf } from "./codes.js";
import { at, readArray, readFields } from "./fields.js";
import { readLookupId } from "./ids.js";

/** The most sources one derived row may name. */
export const MAX_SOURCES = 4096;

/**
 * What a derived row is made from: 1 to 4,096 distinct rows. No source at all is `ProvenanceRequiredError`; a
 * malformed id is the id of nothing, `UnknownSourceError`, named by its position because its value may be anything.
 */
export function readSources(value: unknown, path: string): readonly SourceRef[] {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) throw new ProvenanceRequiredError();
  if (Array.isArray(value) && value.length > MAX_SOURCES) {
    throw new InvalidInputError(
      path,
      `must name at most ${MAX_SOURCES} rows`,
      "Derive in two levels: first several rows from at most 4,096 sources each, then one row from those.",
    );
  }

  const malformed: string[] = [];
  const seen = new Set<string>();
  const sources = readArray(value, path, { min: 1, max: MAX_SOURCES }).map((element, index) => {
    const place = at(path, index);
    const fields = readFields(element, ["sourceKind", "sourceId"], place);
    const sourceKind = readOneOf(fields.sourceKind, at(place, "sourceKind"), ROW_KINDS);
    const sourceId = readLookupId(fields.sourceId, at(place, "sourceId"));
    if (sourceId === null) {
      malformed.push(place);
      return { sourceKind, sourceId: place };
    }
    const name = `${sourceKind} ${sourceId}`;
    if (seen.has(name)) throw new InvalidInputError(place, "names the same row as an earlier source");
    seen.add(name);
    return { sourceKind, sourceId };
  });
  if (malformed.length > 0) throw new UnknownSourceError(malformed);
  return sources;
}

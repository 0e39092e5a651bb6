import { readCode } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import { readSeconds } from "../domain/input/numbers.js";
import { readSources } from "../domain/input/sources.js";
import { readKey, readText } from "../domain/input/strings.js";
import type { Placement } from "../domain/placement.js";
import { sourceIds, type SourceRef } from "../domain/rows.js";
import type { MemoryContext } from "./context.js";
import { newId } from "./new-id.js";

/** A copy that is about to be written outside the store. */
export interface RecordPlacementInput {
  readonly tenantKey: string;
  /** Where copies go, such as `vector-index`. A new one is registered with the proof `unfindable`. */
  readonly sink: string;
  /** Where in the sink: a key, an id or a path, up to 8,192 bytes. Kept until the copy is known to be gone. */
  readonly ref: string;
  /** What it is, such as `embedding` or `export`. */
  readonly kind: string;
  /** Everything the copy was made from: 1 to 4,096 distinct rows. */
  readonly sources: readonly SourceRef[];
  /** How many seconds the writer may take. Leave it out where the write is done, or happens at once. */
  readonly writeWithin?: number;
}

const FIELD_NAMES = [
  "tenantKey",
  "sink",
  "ref",
  "kind",
  "sources",
  "writeWithin",
] as const satisfies readonly (keyof RecordPlacementInput)[];

const MAX_REF_BYTES = 8192;

export async function recordPlacement(
  context: MemoryContext,
  input: RecordPlacementInput,
): Promise<{ readonly placement: Placement }> {
  const fields = readFields(input, FIELD_NAMES);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const sink = readCode(fields.sink, "sink");
  const ref = readPlacementRef(fields.ref);
  const kind = readCode(fields.kind, "kind");
  const sources = readSources(fields.sources, "sources");
  const placement = await context.store.placements.recordPlacement(tenantKey, {
    placementId: newId(),
    sink,
    ref,
    kind,
    sourceMemories: sourceIds(sources, "memory"),
    sourceDerived: sourceIds(sources, "derived"),
    fingerprint: context.keyring.placementFingerprint(tenantKey, {
      sink,
      ref,
      kind,
      sourceIds: sources.map(({ sourceId }) => sourceId),
    }),
    writeWithinSeconds: fields.writeWithin === undefined ? null : readSeconds(fields.writeWithin, "writeWithin"),
  });
  return { placement };
}

export function readPlacementRef(value: unknown): string {
  return readText(value, "ref", MAX_REF_BYTES);
}

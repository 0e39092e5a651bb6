import type { Memory } from "@demystify/memory";
import { CliError, EXIT } from "../cli-error.js";
import type { DigestKind, DigestPlan, PlannedDigest } from "./plan-digests.js";

/** The most sources `derive` takes for one row. */
export const MAX_SOURCES = 4_096;

const BATCH_ROWS = 250;
const BATCH_SOURCES = 8_192;

export type DeriveMany = Pick<Memory, "deriveMany">;
type DeriveInput = Parameters<Memory["deriveMany"]>[0][number];

/** A derived row of the demo: which kind it is, and its id. */
export interface MadeDigest {
  readonly kind: DigestKind;
  readonly derivedId: string;
  /** Whose messages went into it, directly or through other digests. */
  readonly subjectKeys: ReadonlySet<string>;
}

/**
 * Derives everything planned: parts first where a row would have too many sources, then the rows, then the months
 * from the weekly rows.
 */
export async function deriveDigests(
  memory: DeriveMany,
  tenantKey: string,
  plan: DigestPlan,
  onProgress: (rows: number) => Promise<void>,
): Promise<readonly MadeDigest[]> {
  const made: MadeDigest[] = [];
  const derive: Derive = async (kind, rows) => {
    const inputs = rows.map(({ text, sources }) => ({ tenantKey, kind, text, sources }));
    const ids = await deriveInBatches(memory, inputs, onProgress);
    rows.forEach(({ subjectKeys }, index) => made.push({ kind, derivedId: ids[index] ?? "", subjectKeys }));
    return ids;
  };

  await deriveLevel("summary", plan.summaries, derive);
  const weekIds = await deriveLevel("weekly", plan.weeks, derive);
  const peopleOf = new Map(plan.weeks.map((week) => [week.key, peopleIn(week.lines)]));
  await derive(
    "monthly-digest",
    plan.months.map((month) => ({
      text: month.text,
      sources: month.weeks.map((week) => ({ sourceKind: "derived", sourceId: weekIds.get(week) ?? "" })),
      subjectKeys: new Set(month.weeks.flatMap((week) => [...(peopleOf.get(week) ?? [])])),
    })),
  );
  return made;
}

/** How many rows `deriveDigests` will make. */
export function countPlanned(plan: DigestPlan): number {
  const parts = [...plan.summaries, ...plan.weeks].reduce((sum, digest) => sum + splitLarge(digest).length, 0);
  return parts + plan.summaries.length + plan.weeks.length + plan.months.length;
}

interface Row {
  readonly text: string;
  readonly sources: DeriveInput["sources"];
  readonly subjectKeys: ReadonlySet<string>;
}

type Derive = (kind: DigestKind, rows: readonly Row[]) => Promise<readonly string[]>;

async function deriveLevel(
  level: "summary" | "weekly",
  digests: readonly PlannedDigest[],
  derive: Derive,
): Promise<ReadonlyMap<string, string>> {
  const parts = digests.flatMap((digest) => splitLarge(digest).map((lines) => ({ digest, lines })));
  const partIds = await derive(
    `${level}-part`,
    parts.map(({ digest, lines }) => ({
      text: digest.text(lines),
      sources: lines.map((line) => ({ sourceKind: "memory", sourceId: line.memoryId })),
      subjectKeys: peopleIn(lines),
    })),
  );
  const partsOf = new Map<PlannedDigest, string[]>();
  parts.forEach(({ digest }, index) => partsOf.set(digest, [...(partsOf.get(digest) ?? []), partIds[index] ?? ""]));

  const ids = await derive(
    level === "summary" ? "summary" : "weekly-digest",
    digests.map((digest) => ({
      text: digest.text(digest.lines),
      sources:
        partsOf.get(digest)?.map((sourceId) => ({ sourceKind: "derived" as const, sourceId })) ??
        digest.lines.map((line) => ({ sourceKind: "memory" as const, sourceId: line.memoryId })),
      subjectKeys: peopleIn(digest.lines),
    })),
  );
  return new Map(digests.map((digest, index) => [digest.key, ids[index] ?? ""]));
}

function peopleIn(lines: PlannedDigest["lines"]): ReadonlySet<string> {
  return new Set(lines.map((line) => line.subjectKey));
}

/** The parts a digest with too many sources is made from; none if one row is enough. */
function splitLarge(digest: PlannedDigest): (readonly PlannedDigest["lines"][number][])[] {
  if (digest.lines.length <= MAX_SOURCES) return [];
  const parts = [];
  for (let start = 0; start < digest.lines.length; start += MAX_SOURCES) {
    parts.push(digest.lines.slice(start, start + MAX_SOURCES));
  }
  return parts;
}

async function deriveInBatches(
  memory: DeriveMany,
  inputs: readonly DeriveInput[],
  onProgress: (rows: number) => Promise<void>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const batch of batches(inputs)) {
    for (const result of await memory.deriveMany(batch)) {
      if ("error" in result) {
        throw new CliError({
          code: result.error.code,
          message: `a digest could not be derived: ${result.error.message}`,
          help: result.error.help,
          exitCode: EXIT.failed,
        });
      }
      ids.push(result.derived.derivedId);
    }
    await onProgress(batch.length);
  }
  return ids;
}

function* batches(inputs: readonly DeriveInput[]): Generator<DeriveInput[]> {
  let batch: DeriveInput[] = [];
  let sources = 0;
  for (const input of inputs) {
    if (batch.length > 0 && (batch.length === BATCH_ROWS || sources + input.sources.length > BATCH_SOURCES)) {
      yield batch;
      batch = [];
      sources = 0;
    }
    batch.push(input);
    sources += input.sources.length;
  }
  if (batch.length > 0) yield batch;
}

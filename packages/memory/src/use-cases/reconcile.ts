import { readBoolean, readFields } from "../domain/input/fields.js";
import { readKey } from "../domain/input/strings.js";
import type { Finding, ReconcileCoverage } from "../domain/reconciliation.js";
import { verdictOf, type Verdict } from "../domain/verdict.js";
import { RECONCILE_STAGES, type ReconcilePage, type ReconcileResult } from "../ports/upkeep-store.js";
import type { MemoryContext } from "./context.js";
import { readExported, type ExportedTombstones } from "./exported-tombstones.js";
import { repairFindings } from "./repair-findings.js";

/** Where to sweep. */
export interface ReconcileInput {
  readonly tenantKey: string;
  /** Whether to erase again, under new tombstones, what a sweep finds alive. Default: `false`. */
  readonly repair?: boolean;
  /** An earlier `exportTombstones`: a tombstone it has and the store does not is `evidence_missing`. */
  readonly against?: ExportedTombstones;
}

/** What a sweep found. */
export interface ReconcileAnswer {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  readonly coverage: ReconcileCoverage;
  /** How many findings were repaired. They are listed all the same; the next sweep does not find them. */
  readonly repaired: number;
}

type Stage = ReconcilePage["stage"];
type Counts = { -readonly [Name in keyof ReconcileCoverage]: ReconcileCoverage[Name] };

const PAGE_ROWS = 1000;

/** What the stages look at one by one. */
const COUNTED: { readonly [Name in Stage]?: keyof Counts } = {
  tombstones: "tombstones",
  memories: "memories",
  derived: "derived",
  placements: "placements",
};

export async function reconcile(context: MemoryContext, input: ReconcileInput): Promise<ReconcileAnswer> {
  const fields = readFields(input, ["tenantKey", "repair", "against"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const repair = readBoolean(fields.repair, "repair", false);

  const findings: Finding[] = [];
  if (fields.against !== undefined) {
    findings.push(...(await missingEvidence(context, tenantKey, fields.against)));
  }
  const coverage: Counts = {
    memories: 0,
    derived: 0,
    placements: 0,
    tombstones: 0,
    persons: 0,
    personsUnchecked: 0,
    contentUnchecked: 0,
  };
  for (const stage of RECONCILE_STAGES) {
    for await (const page of pagesOf(context, tenantKey, stage)) {
      findings.push(...page.findings, ...comparePersons(context, tenantKey, page.persons, coverage));
      const counted = COUNTED[stage];
      if (counted !== undefined) coverage[counted] += page.looked;
      coverage.contentUnchecked += page.untagged;
    }
  }
  const repaired = repair ? await repairFindings(context, tenantKey, findings) : 0;
  return { verdict: verdictOf(findings, coverage, context.keyring.keyed), findings, coverage, repaired };
}

async function* pagesOf({ store }: MemoryContext, tenantKey: string, stage: Stage): AsyncGenerator<ReconcileResult> {
  let after: string | null = null;
  do {
    const page: ReconcileResult = await store.upkeep.reconcilePage(tenantKey, { stage, after, limit: PAGE_ROWS });
    yield page;
    after = page.next;
  } while (after !== null);
}

/** Whether each row's hash is its person's: only a holder of the pepper can tell. */
function comparePersons(
  { keyring }: MemoryContext,
  tenantKey: string,
  persons: ReconcileResult["persons"],
  coverage: Counts,
): readonly Finding[] {
  const findings: Finding[] = [];
  for (const { subjectKey, subjectHash, keyId, id } of persons) {
    const hash = keyring.subjectUnder(keyId, tenantKey, subjectKey);
    if (hash === null) {
      coverage.personsUnchecked += 1;
      continue;
    }
    coverage.persons += 1;
    if (hash !== subjectHash) findings.push({ code: "subject_mismatch", kind: "memory", id });
  }
  return findings;
}

async function missingEvidence(
  { store }: MemoryContext,
  tenantKey: string,
  against: unknown,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let batch: string[] = [];
  const lookUp = async () => {
    const missing = batch.length === 0 ? [] : await store.upkeep.missingTombstones(tenantKey, batch);
    for (const id of missing) findings.push({ code: "evidence_missing", kind: "tombstone", id, tombstoneId: id });
    batch = [];
  };
  for await (const { tombstoneId } of readExported(against, "against", tenantKey)) {
    batch.push(tombstoneId);
    if (batch.length === PAGE_ROWS) await lookUp();
  }
  await lookUp();
  return findings;
}

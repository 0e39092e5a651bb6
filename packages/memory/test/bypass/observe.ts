import { expect } from "vitest";
import type { ErasureReceipt } from "../../src/index.js";
import type { GivenNative } from "../sqlreal/databases.js";
import { liveRows, tombstonesOf } from "../sqlreal/rows.js";
import { outcomeOf } from "../sqlreal/sessions.js";
import type { Row, Sql } from "../support/sql.js";
import type { Observation } from "./bypass.js";

export const SUBJECT = { subjectKey: "customer:ramesh" };

/**
 * Closed if the attempt is refused with one of these codes and not one row of the schema is other than before; open if
 * it is carried out. Any other code is a fault of the attempt.
 */
export async function refused(
  given: GivenNative,
  codes: readonly string[],
  work: () => Promise<unknown>,
): Promise<Observation> {
  const [observation] = await unharmed(given, async () => [judge(codes, await outcomeOf(work()))]);
  return observation!;
}

/** The same for each statement, one after the other. */
export async function eachRefused(
  given: GivenNative,
  codes: readonly string[],
  sql: Sql,
  statements: readonly string[],
): Promise<readonly Observation[]> {
  return unharmed(given, async () => {
    const observations: Observation[] = [];
    for (const statement of statements) observations.push(judge(codes, await outcomeOf(sql(statement))));
    return observations;
  });
}

function judge(codes: readonly string[], code: string | undefined): Observation {
  if (code === undefined) return { verdict: "open", by: "it was carried out" };
  if (!codes.includes(code)) throw new Error(`the attempt failed with ${code}, which is no rule of this schema`);
  return { verdict: "closed", by: code };
}

async function unharmed(
  given: GivenNative,
  work: () => Promise<readonly Observation[]>,
): Promise<readonly Observation[]> {
  const before = await fingerprint(given);
  const observations = await work();
  const same = (await fingerprint(given)) === before;
  return same ? observations : [{ verdict: "open", by: "it was refused too late" }];
}

/** Closed if nothing of the tenant is left, and the evidence counts exactly these rows as destroyed. */
export async function erasedAndRecorded(
  sql: Sql,
  tenantKey: string,
  counts: { readonly memories: number; readonly derived: number },
): Promise<Observation> {
  const tombstones = await tombstonesOf(sql, tenantKey);
  const sum = (of: "memories" | "derived") => tombstones.reduce((total, row) => total + Number(row[of]), 0);
  const left = await liveRows(sql, tenantKey);
  const whole = left.memories + left.derived === 0 && tombstones.every(({ state }) => state === "complete");
  return whole && sum("memories") === counts.memories && sum("derived") === counts.derived
    ? { verdict: "closed", by: "recorded" }
    : { verdict: "open", by: `left ${JSON.stringify(left)}, recorded ${JSON.stringify(tombstones)}` };
}

/** Detected if this check of verify_install() is not ok. */
export async function noticed(sql: Sql, check: string): Promise<Observation> {
  const rows = await sql("select from demystify_memory.verify_install() where check_name = $1 and not ok", [check]);
  return rows.length === 1 ? { verdict: "detected", by: check } : { verdict: "open", by: `${check} was ok` };
}

/** Detected if a sweep of the tenant finds this. */
export async function swept(given: Sweeper, tenantKey: string, code: string, id?: string): Promise<Observation> {
  const { findings } = await given.memory().erasures.reconcile({ tenantKey });
  const found = findings.some((finding) => finding.code === code && (id === undefined || finding.id === id));
  return found ? { verdict: "detected", by: code } : { verdict: "open", by: `found ${JSON.stringify(findings)}` };
}

/**
 * Needs an export if the sweep finds the tombstone missing when it is given what was exported before, and nothing
 * without that: then the database itself no longer knows.
 */
export async function missed(given: Sweeper, tenantKey: string, exported: Exported): Promise<Observation> {
  const { erasures } = given.memory();
  const alone = await erasures.reconcile({ tenantKey });
  const { findings } = await erasures.reconcile({ tenantKey, against: exported });
  if (!findings.some(({ code }) => code === "evidence_missing")) {
    return { verdict: "open", by: `found ${JSON.stringify(findings)}` };
  }
  expect(alone.findings.map(({ code }) => code)).not.toContain("evidence_missing");
  return { verdict: "needs export", by: "evidence_missing" };
}

/** Detected if the library's own call fails with this code, instead of answering a receipt. */
export async function libraryAnswers(code: string, call: () => Promise<unknown>): Promise<Observation> {
  try {
    await call();
    return { verdict: "open", by: "the library noticed nothing" };
  } catch (error) {
    const seen = String((error as { code?: unknown }).code);
    return seen === code ? { verdict: "detected", by: code } : { verdict: "open", by: `the library said ${seen}` };
  }
}

/** Detected if the receipt says that it does not reach this. */
export function notCovered(receipt: ErasureReceipt, code: ErasureReceipt["notCovered"][number]): Observation {
  return receipt.notCovered.includes(code)
    ? { verdict: "detected", by: code }
    : { verdict: "open", by: `the receipt does not name ${code}` };
}

type Sweeper = Pick<GivenNative, "memory">;
/** Lines of `exportTombstones`, as a file kept elsewhere would hold them. */
export type Exported = readonly string[];

export async function exportOf(given: Sweeper, tenantKey: string): Promise<Exported> {
  const lines: string[] = [];
  for await (const line of given.memory().erasures.exportTombstones({ tenantKey })) lines.push(line);
  return lines;
}

/** A hash of every row of every table of the schema. A lock in its way means that something was carried out. */
async function fingerprint(given: GivenNative): Promise<string> {
  return given.session({}, async (sql) => {
    await sql("set lock_timeout = '5s'");
    const tables = await sql(
      "select relname as name from pg_class where relnamespace = 'demystify_memory'::regnamespace and relkind = 'r' order by 1",
    );
    const hashes: Row[] = [];
    for (const { name } of tables) {
      hashes.push(
        ...(await sql(`select md5(coalesce(string_agg(t::text, '' order by t::text), '')) as hash
                         from demystify_memory.${String(name)} t`)),
      );
    }
    return JSON.stringify(hashes);
  });
}

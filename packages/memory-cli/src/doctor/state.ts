import { ClosureNotEnumerableError, MemoryError, verifyInstall, type Memory, type Pepper } from "@demystify/memory";
import { keyIdsOf } from "../connection/pepper.js";
import type { Queryable } from "../database/database.js";
import { failure, ok, skipped, warning, type Finding } from "./finding.js";
import { checkVerifier } from "./verifier.js";

/** Whether the rules stand. Needs the grants of an application or an auditor. */
export async function checkRules(db: Queryable): Promise<Finding> {
  try {
    const checks = [...(await verifyInstall(db)), await checkVerifier(db)];
    const broken = checks.filter(({ ok: fine }) => !fine).map(({ checkName }) => checkName);
    if (broken.length === 0) return ok("rules", `all ${checks.length} rules of the schema stand`);
    return failure(
      "rules",
      `${broken.length} of ${checks.length} rules do not stand: ${broken.join(", ")}`,
      "demystify-memory verify says of each what to do.",
    );
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return skipped("rules", error.message, error.help);
  }
}

/** Whether an erasure has been open for too long in this tenant. */
export async function checkOpenErasures(
  memory: Memory,
  tenantKey: string,
  limit: { readonly milliseconds: number; readonly text: string },
): Promise<Finding> {
  const olderThan = new Date(Date.now() - limit.milliseconds);
  try {
    let open = 0;
    for (const state of ["in_progress", "escalated"] as const) {
      open += (await memory.erasures.list({ tenantKey, state, olderThan, limit: 1000 })).receipts.length;
    }
    if (open === 0) return ok("open_erasures", `none has been open for longer than ${limit.text}`);
    return failure(
      "open_erasures",
      `${open} erasures have been open for longer than ${limit.text}`,
      `demystify-memory erasures --open --older-than ${limit.text} lists them with who has to move.`,
    );
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    return skipped("open_erasures", error.message, error.help);
  }
}

/** Whether the pepper fits what is stored, and which of its keys nothing needs any more. */
export async function checkPepper(db: Queryable, tenantKey: string, pepper: Pepper | null): Promise<Finding> {
  let used: readonly (string | null)[];
  try {
    const { rows } = await db.query<{ keys: string }>("select demystify_memory.keys_in_use($1) as keys", [tenantKey]);
    used = JSON.parse(rows[0]?.keys ?? "[]") as (string | null)[];
  } catch {
    return skipped("pepper", "this role may not ask which keys are in use", "Run doctor as the application's role.");
  }
  const given = pepper === null ? [] : keyIdsOf(pepper);
  const missing = used.filter((id) => id !== null && !given.includes(id));
  if (missing.length > 0) {
    return failure(
      "pepper",
      `rows of this tenant were written under keys that were not given: ${missing.join(", ")}`,
      "Give them with --pepper-file; without them nobody can be forgotten, for nothing may be certified.",
    );
  }
  if (pepper === null || used.includes(null)) {
    return warning(
      "pepper",
      pepper === null ? "no pepper is set" : "some rows of this tenant were written without a pepper",
      "A hash without a key can be guessed. Set a pepper of 32 bytes or more, and keep it outside the database.",
    );
  }
  // The first key writes what comes next, whether or not anything is under it yet.
  const droppable = given.slice(1).filter((id) => !used.includes(id));
  return ok(
    "pepper",
    droppable.length === 0
      ? "every key in use was given"
      : `every key in use was given; ${droppable.join(", ")} may be dropped as far as this tenant goes`,
  );
}

/** Whether the secrets are the right ones, and not only their names. */
export async function checkSecrets(memory: Memory, tenantKey: string): Promise<Finding> {
  try {
    await memory.erasureHistory(tenantKey, { subjectKey: "doctor", limit: 1 });
    return ok("pepper_secret", "the secrets fit their keys");
  } catch (error) {
    if (error instanceof ClosureNotEnumerableError) return failure("pepper_secret", error.message, error.help);
    if (error instanceof MemoryError) return skipped("pepper_secret", error.message, error.help);
    throw error;
  }
}

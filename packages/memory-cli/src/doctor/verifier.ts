import { createHash } from "node:crypto";
import type { InstallCheck } from "@demystify/memory";
import type { Queryable } from "../database/database.js";
import { allMigrations } from "../install/emit-files.js";

const BODY = /create or replace function demystify_memory\.verify_install\(\)[\s\S]*?\nas \$(\w*)\$([\s\S]*?)\$\1\$/g;

/**
 * Whether `verify_install()` is the one that these packages install. It holds the pins of every other routine and cannot
 * hold its own, so whoever replaced it would have it say that all is well: that is seen from outside, or not at all.
 */
export async function checkVerifier(db: Queryable): Promise<InstallCheck> {
  const { rows } = await db.query<{ body: string | null }>(
    `select pg_catalog.md5(f.prosrc) as body
       from pg_catalog.pg_proc f
       join pg_catalog.pg_namespace n on n.oid = f.pronamespace
      where n.nspname = 'demystify_memory' and f.proname = 'verify_install' and f.pronargs = 0`,
  );
  return {
    checkName: "verify_install_is_unchanged",
    ok: rows[0]?.body === (await expectedBody()),
    severity: "critical",
    detail: "verify_install() is the one that these packages install, so that what it says can be believed",
    remediation: "Run the migration again as the role that installed it, and find out who replaced the function.",
  };
}

async function expectedBody(): Promise<string> {
  const bodies = (await allMigrations()).flatMap(({ sql }) => [...sql.matchAll(BODY)].map(([, , body]) => body ?? ""));
  return createHash("md5")
    .update(bodies.at(-1) ?? "")
    .digest("hex");
}

import type { Queryable } from "./queryable.js";
import { toMemoryError } from "./sqlstate.js";

/** One rule the schema relies on, and whether it stands. */
export interface InstallCheck {
  readonly checkName: string;
  readonly ok: boolean;
  readonly severity: string;
  readonly detail: string;
  readonly remediation: string;
}

/** The rows of `demystify_memory.verify_install()`. Every one is ok on a healthy installation. */
export async function verifyInstall(db: Queryable): Promise<readonly InstallCheck[]> {
  try {
    const { rows } = await db.query(
      `select coalesce(json_agg(json_build_object('checkName', v.check_name, 'ok', coalesce(v.ok, false),
                'severity', v.severity, 'detail', v.detail, 'remediation', v.remediation) order by v.check_name), '[]')::text as answer
         from demystify_memory.verify_install() v`,
    );
    const answer = (rows[0] as { answer?: string } | undefined)?.answer;
    return JSON.parse(answer ?? "[]") as InstallCheck[];
  } catch (error) {
    throw toMemoryError(error);
  }
}

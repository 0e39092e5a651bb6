import { readFileSync } from "node:fs";

export interface OsUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Whom Postgres must run as: `undefined` is the user of this process. Postgres refuses to run as root, so root gives
 * up its rights for `nobody` (or, where there is none, `postgres`).
 */
export function unprivilegedUser(): OsUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  for (const name of ["nobody", "postgres"]) {
    const account = accounts.find(([login]) => login === name);
    if (account !== undefined) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new Error("Postgres cannot run as root, and there is neither a user nobody nor a user postgres");
}

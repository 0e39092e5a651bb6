import { InvalidInputError } from "../../errors.js";

/**
 * The SQL that lets a role work with the schema. Run it as the role that installed. The app role can call what this
 * package calls and read two views; it holds no right on any table. The auditor role reads the evidence, of the
 * tenant its session has set.
 */
export function grantsSql(roles: { readonly appRole: string; readonly auditorRole?: string }): string {
  const lines = [`select demystify_memory.grant_to(${literal("appRole", roles.appRole)}, 'app');`];
  if (roles.auditorRole !== undefined) {
    lines.push(`select demystify_memory.grant_to(${literal("auditorRole", roles.auditorRole)}, 'auditor');`);
  }
  return `${lines.join("\n")}\n`;
}

function literal(argument: string, role: unknown): string {
  if (typeof role !== "string" || role.trim() === "" || role.includes("\0")) {
    throw new InvalidInputError(argument, "must be the name of a role");
  }
  return `'${role.replaceAll("'", "''")}'`;
}

import type { Migration } from "@demystify/memory";

/** The tools that migrations can be written for. */
export type EmitFormat = "psql" | "supabase" | "dbmate" | "node-pg-migrate";

/** One migration as a tool wants it. */
export interface EmittedFile {
  /** Relative to the project, where the tool looks for it. */
  readonly name: string;
  readonly content: string;
}

/**
 * Each migration opens and ends its own transaction, so tools that wrap files in one are told not to. There is no way
 * back in any of them: going back would destroy the evidence.
 */
export const EMITTERS: Readonly<Record<EmitFormat, (migration: Migration, now: Date) => EmittedFile>> = {
  psql: ({ name, sql }) => ({ name: `${name}.sql`, content: ended(sql) }),

  supabase: ({ name, sql, version }, now) => ({
    name: `supabase/migrations/${stamp(now, version)}_demystify_${name}.sql`,
    content: ended(sql),
  }),

  dbmate: ({ name, sql, version }, now) => ({
    name: `db/migrations/${stamp(now, version)}_demystify_${name}.sql`,
    content: `-- migrate:up transaction:false\n${ended(sql)}\n-- migrate:down\n`,
  }),

  "node-pg-migrate": ({ name, sql, version }, now) => ({
    name: `migrations/${String(now.getTime() + version)}_demystify-${name.replaceAll("_", "-")}.mjs`,
    content: [
      "/** The script opens and ends its own transaction. */",
      "export const up = (pgm) => {",
      "  pgm.noTransaction();",
      `  pgm.sql(${JSON.stringify(ended(sql))});`,
      "};",
      "",
      "/** There is no way back: it would destroy the evidence. */",
      "export const down = false;",
      "",
    ].join("\n"),
  }),
};

/** `20260131120005`: UTC, a second apart so that several files keep their order. */
function stamp(now: Date, version: number): string {
  return new Date(now.getTime() + version * 1000).toISOString().replace(/\D/g, "").slice(0, 14);
}

function ended(sql: string): string {
  return sql.endsWith("\n") ? sql : `${sql}\n`;
}

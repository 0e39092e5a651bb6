/** The pins of a migration's text, by kind: each is the rows of one `values` list. */
export function schemaPins(
  sql: string,
): Readonly<Record<"routines" | "columns" | "constraints" | "indexes", readonly string[]>>;

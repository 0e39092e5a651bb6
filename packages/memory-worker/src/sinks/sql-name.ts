import { InvalidInputError } from "@demystify/memory";

const NAME = /^[a-z_][\w$]{0,62}$/i;

/** A column as SQL names it. @throws InvalidInputError for what is no plain name */
export function quoteName(name: string): string {
  if (!NAME.test(name))
    throw new InvalidInputError("column", "must be a plain name of letters, digits and underscores");
  return `"${name}"`;
}

/** `table` or `schema.table` as SQL names it. @throws InvalidInputError */
export function quoteTable(name: string): string {
  const parts = name.split(".");
  if (parts.length > 2) throw new InvalidInputError("table", "must be `table` or `schema.table`");
  return parts.map(quoteName).join(".");
}

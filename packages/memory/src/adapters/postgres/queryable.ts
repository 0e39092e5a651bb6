/**
 * Anything that runs one statement: a `pg` Pool or Client, PGlite, or a wrapper round another driver. Parameters are
 * always strings or null and answers always text, so no type parser of the driver is involved.
 *
 * Nothing is logged or kept here. A driver that echoes parameters in its errors is stripped of them.
 */
export interface Queryable {
  query(text: string, params?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** The stores every behaviour test runs on. */
export const LEGS = ["in-memory", "pglite", "postgres"] as const;
export type Leg = (typeof LEGS)[number];

/**
 * The legs this run must show: all of them, unless the environment variable `STORES` names fewer. A name that is no
 * leg is an error, so that a typing mistake cannot pass as a run without tests.
 */
export function requestedLegs(stores = process.env["STORES"]): readonly Leg[] {
  if (stores === undefined || stores.trim() === "") return LEGS;
  const names = stores.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !(LEGS as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw new Error(`STORES: no such store: ${unknown.join(", ")} (there are ${LEGS.join(", ")})`);
  return LEGS.filter((leg) => names.includes(leg));
}

/** The title of one leg of a suite; `legOfTitle` reads it back. */
export function legTitle(name: string, leg: Leg): string {
  return `${name} [${leg}]`;
}

export function legOfTitle(title: string): Leg | undefined {
  return LEGS.find((leg) => title.endsWith(` [${leg}]`));
}

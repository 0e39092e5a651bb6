import type { Figure } from "../result/row.js";
import type { Rounds } from "../measure.js";
import type { Store, StoreName } from "../stores/store.js";
import type { Vocabulary } from "../fill/vocabulary.js";
import type { Victims } from "../world.js";

/** How much is measured. */
export interface Scale {
  readonly name: "quick" | "default" | "full";
  /** Of batches and other long work. */
  readonly batches: Rounds;
  /** Of single rows and queries. */
  readonly singles: Rounds;
  /** How many rows a store has, one size after the other. */
  readonly sizes: Readonly<Record<StoreName, readonly number[]>>;
}

/** A store of some size, with persons whose memories a case may take away. */
export interface World {
  readonly store: Store;
  readonly tenantKey: string;
  readonly size: number;
  readonly scale: Scale;
  readonly victims: Victims;
  /** `null` in memory, where no raw SQL asks for words. */
  readonly vocabulary: Vocabulary | null;
}

export type Give = (figure: Figure) => void;

/** A case that cannot be measured here, and is no failure. */
export class NotRun extends Error {}

/** Measured once for each size, all of these in one store. */
export interface GrowthCase {
  readonly name: string;
  readonly stores: readonly StoreName[];
  readonly run: (world: World, give: Give) => Promise<void>;
}

/** Measured in a store of its own, empty at first. */
export interface SingleCase {
  readonly name: string;
  readonly stores: readonly StoreName[];
  readonly run: (store: Store, scale: Scale, give: Give) => Promise<void>;
}

export const ALL_STORES: readonly StoreName[] = ["Postgres", "PGlite", "in memory"];
export const SQL_STORES: readonly StoreName[] = ["Postgres", "PGlite"];

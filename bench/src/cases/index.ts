import { derive } from "./derive.js";
import { directDelete } from "./direct-delete.js";
import { forgetMany } from "./forget-many.js";
import { forget } from "./forget.js";
import { recallHidden } from "./recall-hidden.js";
import { recallTenants } from "./recall-tenants.js";
import { recallTerms } from "./recall-terms.js";
import { recallVector } from "./recall-vector.js";
import { reconcile } from "./reconcile.js";
import { redaction } from "./redaction.js";
import { remember } from "./remember.js";
import { roundTrips } from "./round-trips.js";
import { vectorIndex } from "./vector-index.js";
import type { GrowthCase, SingleCase } from "./case.js";

/** In the order they run in one store: what only reads first, what takes rows away last. */
export const GROWTH: readonly GrowthCase[] = [recallTerms, reconcile, remember, derive, forget, directDelete];

export const SINGLE: readonly SingleCase[] = [
  redaction,
  roundTrips,
  recallVector,
  recallTenants,
  recallHidden,
  vectorIndex,
  forgetMany,
];

import type { Sabotage } from "./sabotages/sabotage.js";
import { RIGHTS } from "./sabotages/rights.js";
import { ROUTINES } from "./sabotages/routines.js";
import { TABLES } from "./sabotages/tables.js";
import { TRIGGERS } from "./sabotages/triggers.js";
import { WAYS_OUT } from "./sabotages/ways-out.js";

/** At least one for each check of sql/checks. */
export const SABOTAGES: readonly Sabotage[] = [...TABLES, ...TRIGGERS, ...ROUTINES, ...RIGHTS, ...WAYS_OUT];

import type { GivenNative } from "../sqlreal/databases.js";

/** What became of a way round a rule, best first. `open` is none that a row may declare. */
export const VERDICTS = ["closed", "detected", "needs export", "open"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Who tries. A host job holds SELECT, INSERT and DELETE on the two payload tables and nothing else. */
export type Actor = "application" | "host job" | "owner" | "owner member" | "superuser" | "replica" | "writer";

/** One row of the corpus, as literals: the score table of the documents is read from the source text. */
export interface BypassFacts {
  readonly row: string;
  /** What is attempted, as a phrase that ends a sentence with "is refused". */
  readonly attempt: string;
  readonly as: readonly Actor[];
  readonly must: Exclude<Verdict, "open">;
  /** By what: SQLSTATEs, checks of verify_install(), findings of reconcile, codes of a receipt. */
  readonly by: readonly string[];
  /** `own`: it stops or replaces a server, and starts one for that. */
  readonly server?: "own";
  /** Of a kind that Postgres itself refuses in another way where the tables of payload are partitioned. */
  readonly unpartitioned?: true;
}

/** What one attempt was answered with, and by what. */
export interface Observation {
  readonly verdict: Verdict;
  readonly by: string;
}

export interface Bypass extends BypassFacts {
  /** Tries it in a database of its own, and answers what was seen: at least one observation for each actor. */
  readonly run: (given: GivenNative) => Promise<readonly Observation[]>;
}

/** A row of the corpus. */
export function bypass(facts: BypassFacts, run: Bypass["run"]): Bypass {
  return { ...facts, run };
}

/** The verdict on a row: its weakest observation. */
export function verdictOf(observations: readonly Observation[]): Verdict {
  const ranks = observations.map(({ verdict }) => VERDICTS.indexOf(verdict));
  return VERDICTS[Math.max(...ranks)] ?? "open";
}

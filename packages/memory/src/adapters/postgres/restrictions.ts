import type { HoldCode, LegalHold, RestrictionBasis } from "../../domain/restriction.js";
import { StoreError } from "../../errors.js";
import type { StoreScope, StoreSubject } from "../../ports/memory-store.js";
import type { RestrictionStore } from "../../ports/restriction-store.js";
import type { PgConnection } from "./connection.js";

/** Restrictions and legal holds in Postgres: one SQL function each. */
export class PgRestrictions implements RestrictionStore {
  readonly #db: PgConnection;

  constructor(db: PgConnection) {
    this.#db = db;
  }

  async restrict(tenantKey: string, scope: StoreScope, basis: RestrictionBasis): Promise<{ restrictionId: string }> {
    const answer = await this.#db.call("restrict", tenantKey, [
      ["text", JSON.stringify(scope)],
      ["text", basis],
    ]);
    return { restrictionId: answered(answer) };
  }

  async liftRestriction(tenantKey: string, restrictionId: string): Promise<void> {
    await this.#db.call("lift_restriction", tenantKey, [["uuid", restrictionId]]);
  }

  async placeHold(
    tenantKey: string,
    subject: StoreSubject,
    code: HoldCode,
    until: string | null,
  ): Promise<{ holdId: string }> {
    const answer = await this.#db.call("place_hold", tenantKey, [
      ["text", JSON.stringify(subject.known)],
      ["text", code],
      ["timestamptz", until],
    ]);
    return { holdId: answered(answer) };
  }

  async releaseHold(tenantKey: string, holdId: string): Promise<void> {
    await this.#db.call("release_hold", tenantKey, [["uuid", holdId]]);
  }

  async listHolds(tenantKey: string): Promise<readonly LegalHold[]> {
    return this.#db.json<LegalHold[]>("list_holds", tenantKey, []);
  }
}

function answered(answer: string | null): string {
  if (answer !== null) return answer;
  throw new StoreError("the database gave no answer that this package understands", {
    retryable: false,
    help: "Check that the driver returns text columns as strings.",
  });
}

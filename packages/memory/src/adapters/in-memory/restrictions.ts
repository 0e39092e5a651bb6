import type { HoldCode, LegalHold, RestrictionBasis } from "../../domain/restriction.js";
import { InvalidInputError, NotFoundError } from "../../errors.js";
import type { StoreScope, StoreSubject } from "../../ports/memory-store.js";
import type { RestrictionStore } from "../../ports/restriction-store.js";
import { closureOf } from "./closure.js";
import { newId } from "./new-id.js";
import { enrolNamed } from "./open-erasure.js";
import { select } from "./selection.js";
import type { TenantState } from "./tenant-state.js";
import type { Tenants } from "./tenants.js";

/** Content kept but not used (GDPR Art. 18), and content that may not be erased yet. */
export class InMemoryRestrictions implements RestrictionStore {
  constructor(private readonly tenants: Tenants) {}

  async restrict(tenantKey: string, scope: StoreScope, basis: RestrictionBasis): Promise<{ restrictionId: string }> {
    return { restrictionId: restrict(this.tenants.keep(tenantKey), scope, basis, this.tenants.now()) };
  }

  async liftRestriction(tenantKey: string, restrictionId: string): Promise<void> {
    const state = this.tenants.get(tenantKey);
    const lifted = state.restrictions.lift(restrictionId, newId(), this.tenants.now());
    if (lifted === undefined) throw new NotFoundError("restriction");
    if (lifted.scope !== "subject" || lifted.subjectHash === null) return;
    for (const person of state.persons.find([lifted.subjectHash])) person.restrictions.delete(restrictionId);
  }

  async placeHold(
    tenantKey: string,
    subject: StoreSubject,
    code: HoldCode,
    until: string | null,
  ): Promise<{ holdId: string }> {
    const [state, placedAt, holdId] = [this.tenants.keep(tenantKey), this.tenants.now(), newId()];
    state.keys.refuseUnlessNamed(subject);
    enrolNamed(state, subject);
    state.holds.place(Object.freeze({ holdId, subjectHash: subject.written.hash, code, until, placedAt }));
    return { holdId };
  }

  async releaseHold(tenantKey: string, holdId: string): Promise<void> {
    if (!this.tenants.get(tenantKey).holds.release(holdId, this.tenants.now())) throw new NotFoundError("hold");
  }

  async listHolds(tenantKey: string): Promise<readonly LegalHold[]> {
    return this.tenants.get(tenantKey).holds.list();
  }
}

/** A whole person: what is stored later, too. Chosen memories: these, with what was derived from them. */
function restrict(state: TenantState, scope: StoreScope, basis: RestrictionBasis, at: string): string {
  if (scope.scope === "derived") throw new InvalidInputError("scope", "cannot be restricted");
  const { memories, derived, filing } = select(state, scope);
  const restrictionId = newId();
  const record = { restrictionId, lifts: null, scope: scope.scope, subjectHash: filing?.hash ?? null, basis, at };
  if (scope.subject) enrolNamed(state, scope.subject);
  if (scope.scope === "subject") {
    state.restrictions.restrict(Object.freeze({ ...record, memoryIds: [] }), []);
    state.persons.enrol(scope.subject).restrictions.add(restrictionId);
  } else {
    const closure = closureOf(state, { memories, derived });
    const memoryIds = Object.freeze(memories.map(({ id }) => id));
    state.restrictions.restrict(Object.freeze({ ...record, memoryIds }), [...closure.memories, ...closure.derived]);
  }
  return restrictionId;
}

import type { EscalationCode } from "../../domain/codes.js";
import type { OutstandingPlacement, Placement, RequiredProof, SinkRegistration } from "../../domain/placement.js";
import { REQUIRED_PROOFS } from "../../domain/placement.js";
import type { ErasureReceipt } from "../../domain/receipt.js";
import { InvalidInputError } from "../../errors.js";
import type {
  Attestation,
  NewPlacement,
  PlacementAttempt,
  PlacementConfirmation,
  PlacementLease,
  PlacementStore,
} from "../../ports/placement-store.js";
import { attest, confirmPlacement, escalate, outstanding, recordAttempt } from "./confirm-placement.js";
import { receiptOf } from "./receipt-view.js";
import { placementAbandoned, placementWritten, recordPlacement } from "./record-placement.js";
import { placementStatus } from "./placement-status.js";
import { placementView } from "./stored-placement.js";
import type { Tenants } from "./tenants.js";

/** Copies outside the store: recorded before they are made, and followed until they are known to be gone. */
export class InMemoryPlacements implements PlacementStore {
  constructor(private readonly tenants: Tenants) {}

  async recordPlacement(tenantKey: string, placement: NewPlacement): Promise<Placement> {
    return placementView(tenantKey, recordPlacement(this.tenants.get(tenantKey), placement, this.tenants.now()));
  }

  async placementWritten(tenantKey: string, placementId: string, ref: string | null) {
    const written = placementWritten(this.tenants.get(tenantKey), placementId, ref, this.tenants.now());
    return { placement: placementView(tenantKey, written.placement), forgotten: written.forgotten };
  }

  async placementAbandoned(tenantKey: string, placementId: string): Promise<Placement> {
    return placementView(tenantKey, placementAbandoned(this.tenants.get(tenantKey), placementId, this.tenants.now()));
  }

  async placementStatus(tenantKey: string, placementIds: readonly string[]) {
    return placementStatus(this.tenants.get(tenantKey), placementIds);
  }

  async registerSink(tenantKey: string, sink: string, requiredProof: RequiredProof): Promise<SinkRegistration> {
    const { sinks } = this.tenants.keep(tenantKey).placements;
    const known = sinks.get(sink);
    if (known?.registered === "explicit" && strength(requiredProof) < strength(known.requiredProof)) {
      throw new InvalidInputError("requiredProof", "a sink registered before cannot be lowered");
    }
    const registration = Object.freeze({ sink, requiredProof, registered: "explicit" } as const);
    sinks.set(sink, registration);
    return registration;
  }

  async listSinks(tenantKey: string): Promise<readonly SinkRegistration[]> {
    const { sinks } = this.tenants.get(tenantKey).placements;
    return [...sinks.values()].sort((a, b) => (a.sink < b.sink ? -1 : 1));
  }

  async outstanding(
    tenantKey: string,
    tombstoneId: string,
    lease: PlacementLease | null,
  ): Promise<readonly OutstandingPlacement[]> {
    return outstanding(this.tenants.get(tenantKey), tombstoneId, lease, this.tenants.now());
  }

  async recordAttempt(tenantKey: string, attempt: PlacementAttempt): Promise<void> {
    recordAttempt(this.tenants.get(tenantKey), attempt, this.tenants.now());
  }

  async confirmPlacement(tenantKey: string, confirmation: PlacementConfirmation) {
    const state = this.tenants.get(tenantKey);
    const { erasure, rejected } = confirmPlacement(state, confirmation, this.tenants.now());
    return { receipt: receiptOf(state, erasure), rejected };
  }

  async attest(tenantKey: string, attestation: Attestation): Promise<ErasureReceipt> {
    const state = this.tenants.get(tenantKey);
    return receiptOf(state, attest(state, attestation, this.tenants.now()));
  }

  async escalate(tenantKey: string, tombstoneId: string, code: EscalationCode): Promise<ErasureReceipt> {
    const state = this.tenants.get(tenantKey);
    return receiptOf(state, escalate(state, tombstoneId, code, this.tenants.now()));
  }
}

function strength(proof: RequiredProof): number {
  return REQUIRED_PROOFS.indexOf(proof);
}

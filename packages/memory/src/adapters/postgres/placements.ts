import type { EscalationCode } from "../../domain/codes.js";
import type {
  OutstandingPlacement,
  Placement,
  PlacementStanding,
  RequiredProof,
  SinkRegistration,
} from "../../domain/placement.js";
import type { ErasureReceipt } from "../../domain/receipt.js";
import type {
  Attestation,
  ConfirmationRejection,
  NewPlacement,
  PlacementAttempt,
  PlacementConfirmation,
  PlacementLease,
  PlacementStore,
} from "../../ports/placement-store.js";
import type { PgConnection } from "./connection.js";
import { parseReceipt } from "./erasure-json.js";
import { plainArray } from "./literals.js";

/** Copies outside the store, in Postgres: one SQL function each. */
export class PgPlacements implements PlacementStore {
  readonly #db: PgConnection;

  constructor(db: PgConnection) {
    this.#db = db;
  }

  async recordPlacement(tenantKey: string, placement: NewPlacement): Promise<Placement> {
    return this.#db.json<Placement>("record_placement", tenantKey, [
      ["uuid", placement.placementId],
      ["text", placement.sink],
      ["text", placement.ref],
      ["text", placement.kind],
      ["uuid[]", plainArray(placement.sourceMemories)],
      ["uuid[]", plainArray(placement.sourceDerived)],
      ["text", placement.fingerprint],
      ["float8", placement.writeWithinSeconds],
    ]);
  }

  async placementWritten(
    tenantKey: string,
    placementId: string,
    ref: string | null,
  ): Promise<{ placement: Placement; forgotten: boolean }> {
    return this.#db.json("placement_written", tenantKey, [
      ["uuid", placementId],
      ["text", ref],
    ]);
  }

  async placementAbandoned(tenantKey: string, placementId: string): Promise<Placement> {
    return this.#db.json<Placement>("placement_abandoned", tenantKey, [["uuid", placementId]]);
  }

  async placementStatus(tenantKey: string, placementIds: readonly string[]): Promise<readonly PlacementStanding[]> {
    return this.#db.json<PlacementStanding[]>("placement_status", tenantKey, [["uuid[]", plainArray(placementIds)]]);
  }

  async registerSink(tenantKey: string, sink: string, requiredProof: RequiredProof): Promise<SinkRegistration> {
    return this.#db.json<SinkRegistration>("register_sink", tenantKey, [
      ["text", sink],
      ["text", requiredProof],
    ]);
  }

  async listSinks(tenantKey: string): Promise<readonly SinkRegistration[]> {
    return this.#db.json<SinkRegistration[]>("list_sinks", tenantKey, []);
  }

  async outstanding(
    tenantKey: string,
    tombstoneId: string,
    lease: PlacementLease | null,
  ): Promise<readonly OutstandingPlacement[]> {
    return this.#db.json<OutstandingPlacement[]>("outstanding", tenantKey, [
      ["uuid", tombstoneId],
      ["text", lease?.owner ?? null],
      ["float8", lease?.seconds ?? null],
      ["boolean", lease?.idle ?? false],
      ["boolean", lease?.takeIdle ?? false],
    ]);
  }

  async recordAttempt(tenantKey: string, attempt: PlacementAttempt): Promise<void> {
    await this.#db.call("record_attempt", tenantKey, [
      ["uuid", attempt.tombstoneId],
      ["uuid", attempt.placementId],
      ["text", attempt.outcome],
      ["text", attempt.code],
    ]);
  }

  async confirmPlacement(
    tenantKey: string,
    confirmation: PlacementConfirmation,
  ): Promise<{ receipt: ErasureReceipt; rejected: ConfirmationRejection | null }> {
    const { receipt, rejected } = await this.#db.json<{ receipt: unknown; rejected: ConfirmationRejection | null }>(
      "confirm_placement",
      tenantKey,
      [
        ["uuid", confirmation.tombstoneId],
        ["uuid", confirmation.placementId],
        ["text", confirmation.proof],
        ["text", confirmation.by],
        ["text", confirmation.under?.owner ?? null],
        ["text", confirmation.under?.leasedUntil ?? null],
        ["text", confirmation.under?.writtenAt ?? null],
      ],
    );
    return { receipt: parseReceipt(receipt), rejected };
  }

  async attest(tenantKey: string, attestation: Attestation): Promise<ErasureReceipt> {
    const answer = await this.#db.call("attest", tenantKey, [
      ["uuid", attestation.tombstoneId],
      ["uuid", attestation.placementId],
      ["text", attestation.by],
      ["text", attestation.reference],
    ]);
    return parseReceipt(answer);
  }

  async escalate(tenantKey: string, tombstoneId: string, code: EscalationCode): Promise<ErasureReceipt> {
    const answer = await this.#db.call("escalate", tenantKey, [
      ["uuid", tombstoneId],
      ["text", code],
    ]);
    return parseReceipt(answer);
  }
}

import type { OutstandingPlacement } from "./domain/placement.js";
import type { ErasureReceipt } from "./domain/receipt.js";
import { assertAuditable, type AuditInput } from "./use-cases/assert-auditable.js";
import { attestErasure, type AttestInput } from "./use-cases/attest-erasure.js";
import { confirmPlacement, type ConfirmInput } from "./use-cases/confirm-placement.js";
import type { MemoryContext } from "./use-cases/context.js";
import type { ForgetInput } from "./use-cases/erasure-request.js";
import { erasureStatus, type ErasureRef } from "./use-cases/erasure-status.js";
import { escalateErasure, type EscalateInput } from "./use-cases/escalate-erasure.js";
import { expire, type ExpireInput, type ExpireResult } from "./use-cases/expire.js";
import { exportTombstones } from "./use-cases/export-tombstones.js";
import { forgetTenant, type ForgetTenantInput, type ForgetTenantResult } from "./use-cases/forget-tenant.js";
import { listErasures, type ErasurePage, type ListErasuresInput } from "./use-cases/list-erasures.js";
import { listOutstanding, type OutstandingOptions } from "./use-cases/list-outstanding.js";
import { openErasure } from "./use-cases/open-erasure.js";
import { reconcile, type ReconcileAnswer, type ReconcileInput } from "./use-cases/reconcile.js";
import { recordAttempt, type AttemptInput } from "./use-cases/record-attempt.js";
import { replay, type ReplayInput, type ReplayResult } from "./use-cases/replay.js";
import { resumeErasure } from "./use-cases/resume-erasure.js";
import type { TenantInput } from "./use-cases/tenant-input.js";

/** Erasures step by step, and what a deployment does with them besides. `Memory.forget` is `open` and `resume`, and throws unless the result is complete. */
export class Erasures {
  readonly #context: MemoryContext;

  /** @internal */
  constructor(context: MemoryContext) {
    this.#context = context;
  }

  /**
   * Step 1 alone: the tombstone is durable and the closure invisible; nothing is destroyed yet. Joins an erasure of
   * the same person that is still open.
   *
   * @throws InvalidInputError, StalePreviewError, LegalHoldError, StoreError
   */
  async open(input: ForgetInput): Promise<ErasureReceipt> {
    return openErasure(this.#context, input);
  }

  /**
   * Goes as far as it can, from wherever the erasure stands: after a crash, from another process, or again. An erasure
   * that waits for somebody else is a state in the receipt, not an error.
   *
   * @throws NotFoundError, TombstoneOrderingError (in the transaction that opened it), StoreError
   */
  async resume(ref: ErasureRef): Promise<ErasureReceipt> {
    return resumeErasure(this.#context, ref);
  }

  /**
   * The receipt as it stands.
   *
   * @throws NotFoundError
   */
  async status(ref: ErasureRef): Promise<ErasureReceipt> {
    return erasureStatus(this.#context, ref);
  }

  /** A page of receipts, newest first. */
  async list(input: ListErasuresInput): Promise<ErasurePage> {
    return listErasures(this.#context, input);
  }

  /**
   * The receipt of the erasure that covers a row.
   *
   * @throws TombstoneOrderingError where no tombstone covers it; ForgetIncompleteError where the erasure is not closed
   */
  async assertAuditable(input: AuditInput): Promise<ErasureReceipt> {
    return assertAuditable(this.#context, input);
  }

  /**
   * The copies an erasure waits for, with what is known of each. With a lease only those that no other owner has
   * leased, and they are this owner's for so many seconds.
   *
   * @throws InvalidInputError, NotFoundError, StoreError
   */
  async outstanding(ref: ErasureRef, options?: OutstandingOptions): Promise<readonly OutstandingPlacement[]> {
    return listOutstanding(this.#context, ref, options);
  }

  /**
   * Records how a try to destroy a copy ended, as a code: a sink's own error text goes nowhere. It confirms nothing.
   *
   * @throws InvalidInputError, NotFoundError, StoreError
   */
  async attempt(input: AttemptInput): Promise<void> {
    return recordAttempt(this.#context, input);
  }

  /**
   * Evidence that a copy is gone. Its `ref` is removed, and the last confirmation completes the erasure. It holds for
   * every erasure that waits for the copy; of one that is known to be gone it changes nothing.
   *
   * @throws ConfirmationRejectedError where it is less than the sink must prove, or a writer may still write; it is
   * recorded as an attempt
   * @throws InvalidInputError, NotFoundError, StoreError
   */
  async confirm(input: ConfirmInput): Promise<ErasureReceipt> {
    return confirmPlacement(this.#context, input);
  }

  /**
   * A person vouches for one copy, or for a closure that nobody could list. The receipt then says
   * `closure: "attested"`: it never reads as confirmed.
   *
   * @throws InvalidInputError, NotFoundError, StoreError
   */
  async attest(input: AttestInput): Promise<ErasureReceipt> {
    return attestErasure(this.#context, input);
  }

  /**
   * A person takes over an erasure that is stuck. It completes like any other once nothing is outstanding.
   *
   * @throws InvalidInputError, NotFoundError, StoreError
   */
  async escalate(input: EscalateInput): Promise<ErasureReceipt> {
    return escalateErasure(this.#context, input);
  }

  /**
   * Compares the log with what lives, page by page. `clean` only where everything could be looked at; see `Verdict`.
   * With `repair` what is found alive is erased again, under new tombstones.
   *
   * @throws InvalidInputError, StoreError
   */
  async reconcile(input: ReconcileInput): Promise<ReconcileAnswer> {
    return reconcile(this.#context, input);
  }

  /**
   * Removes memories past their `expiresAt`, with everything derived from them. Call again while it answers `more`.
   *
   * @throws InvalidInputError, HostTransactionError, StoreError
   */
  async expire(input: ExpireInput): Promise<ExpireResult> {
    return expire(this.#context, input);
  }

  /**
   * Erases a whole tenant, person by person, after finishing what was left open. Call again while it answers `more`;
   * a call that was cut off loses nothing. The evidence stays.
   *
   * @throws InvalidInputError where `confirm` is not the tenant key; HostTransactionError, StoreError
   */
  async forgetTenant(input: ForgetTenantInput): Promise<ForgetTenantResult> {
    return forgetTenant(this.#context, input);
  }

  /**
   * Every tombstone with the ids it covers, oldest first, as lines of JSON without a line end. Content-free: keep them
   * apart from the backups, for `replay` after a restore and for `reconcile({ against })`.
   *
   * @throws InvalidInputError at once; StoreError while it is read
   */
  exportTombstones(input: TenantInput): AsyncIterable<string> {
    return exportTombstones(this.#context, input);
  }

  /**
   * Erases again, after a restore, what exported tombstones say was erased: by id, and of a whole person what was
   * stored not later than the original erasure. It needs no pepper. Each record is replayed by itself and may be
   * replayed again: an array is checked whole before anything happens, a stream record by record.
   *
   * @throws InvalidInputError, StoreError
   */
  async replay(input: ReplayInput): Promise<ReplayResult> {
    return replay(this.#context, input);
  }
}

import type { ErasureReceipt } from "./domain/receipt.js";
import { assertAuditable, type AuditInput } from "./use-cases/assert-auditable.js";
import type { MemoryContext } from "./use-cases/context.js";
import type { ForgetInput } from "./use-cases/erasure-request.js";
import { erasureStatus, type ErasureRef } from "./use-cases/erasure-status.js";
import { listErasures, type ErasurePage, type ListErasuresInput } from "./use-cases/list-erasures.js";
import { openErasure } from "./use-cases/open-erasure.js";
import { resumeErasure } from "./use-cases/resume-erasure.js";

/** Erasures step by step. `Memory.forget` is `open` and `resume`, and throws unless the result is complete. */
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
}

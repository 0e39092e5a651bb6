import type { Placement, PlacementStanding } from "./domain/placement.js";
import { abandonPlacement } from "./use-cases/abandon-placement.js";
import type { MemoryContext } from "./use-cases/context.js";
import type { PlacementRef } from "./use-cases/placement-ref.js";
import { placementStatus, type PlacementStatusInput } from "./use-cases/placement-status.js";
import { reportWritten, type WrittenInput } from "./use-cases/report-written.js";

/**
 * Copies that are on record. What a slow writer reports of one it recorded with `writeWithin`: until it reports, or its
 * time is over, no confirmation of that copy is accepted, for it could be written after the read-back. And what is known
 * of each, for whoever compares a sink with the record.
 */
export class Placements {
  readonly #context: MemoryContext;

  /** @internal */
  constructor(context: MemoryContext) {
    this.#context = context;
  }

  /**
   * The copy is written.
   *
   * @throws SourceForgottenError where it should not have been: its sources are forgotten, and the copy is outstanding
   * (again). Destroy it and confirm.
   * @throws InvalidInputError, NotFoundError, StoreError
   */
  async written(input: WrittenInput): Promise<{ readonly placement: Placement }> {
    return reportWritten(this.#context, input);
  }

  /**
   * The copy was never written and never will be. Under a tombstone this only ends the wait for the writer: the
   * read-back still decides.
   *
   * @throws InvalidInputError (it was written, or recorded without `writeWithin`), NotFoundError, StoreError
   */
  async abandoned(input: PlacementRef): Promise<{ readonly placement: Placement }> {
    return abandonPlacement(this.#context, input);
  }

  /**
   * Whether each copy is live, outstanding in an erasure, gone by one, or abandoned; no refs, and nothing for an id that
   * nobody recorded in this tenant.
   *
   * @throws InvalidInputError, StoreError
   */
  async status(input: PlacementStatusInput): Promise<readonly PlacementStanding[]> {
    return placementStatus(this.#context, input);
  }
}

import type { MemoryContext } from "./use-cases/context.js";
import { liftRestriction, type RestrictionRef } from "./use-cases/lift-restriction.js";
import { restrict, type RestrictInput } from "./use-cases/restrict.js";

/**
 * Content that is kept but not used (GDPR Art. 18). Restricted rows are hidden from every read and cannot be derived
 * from; they still exist, the person's own export and preview show them, and an erasure takes them like any other.
 */
export class Restrictions {
  readonly #context: MemoryContext;

  /** @internal */
  constructor(context: MemoryContext) {
    this.#context = context;
  }

  /**
   * Hides a person, what is stored of them later included, or chosen memories with everything derived from them.
   *
   * @throws InvalidInputError, ClosureNotEnumerableError, StoreError
   */
  async restrict(input: RestrictInput): Promise<{ readonly restrictionId: string }> {
    return restrict(this.#context, input);
  }

  /**
   * Shows again what one restriction hid, unless another one does.
   *
   * @throws NotFoundError where there is none, or it is lifted already; InvalidInputError, StoreError
   */
  async lift(input: RestrictionRef): Promise<void> {
    return liftRestriction(this.#context, input);
  }
}

import type { LegalHold } from "./domain/restriction.js";
import type { MemoryContext } from "./use-cases/context.js";
import { listHolds } from "./use-cases/list-holds.js";
import { placeHold, type PlaceHoldInput } from "./use-cases/place-hold.js";
import { releaseHold, type HoldRef } from "./use-cases/release-hold.js";
import type { TenantInput } from "./use-cases/tenant-input.js";

/** Legal holds: erasure lawfully blocked (GDPR Art. 17(3), DPDP Act 2023 s. 8(7)). Reads go on as before. */
export class Holds {
  readonly #context: MemoryContext;

  /** @internal */
  constructor(context: MemoryContext) {
    this.#context = context;
  }

  /**
   * Refuses every destruction of what is filed under a person, or derived from it, until released or past `until`.
   * `forget` and `correct` then throw `LegalHoldError`; `expire` and `forgetTenant` skip and count; an erasure of
   * somebody else that shares a row destroys the rest, and escalates.
   *
   * @throws InvalidInputError, ClosureNotEnumerableError, StoreError
   */
  async place(input: PlaceHoldInput): Promise<{ readonly holdId: string }> {
    return placeHold(this.#context, input);
  }

  /**
   * Ends a hold. Erasures that it stopped go on with `erasures.resume`.
   *
   * @throws NotFoundError where there is none, or it is released already; InvalidInputError, StoreError
   */
  async release(input: HoldRef): Promise<void> {
    return releaseHold(this.#context, input);
  }

  /** Newest first, released and expired ones included, with how many erasures each refused. */
  async list(input: TenantInput): Promise<readonly LegalHold[]> {
    return listHolds(this.#context, input);
  }
}

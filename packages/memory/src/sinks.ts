import type { SinkRegistration } from "./domain/placement.js";
import type { MemoryContext } from "./use-cases/context.js";
import { listSinks } from "./use-cases/list-sinks.js";
import { registerSink, type RegisterSinkInput } from "./use-cases/register-sink.js";
import type { TenantInput } from "./use-cases/tenant-input.js";

/** Where copies go, and how strongly each sink must prove that one is gone. Kept in the store, not in this process. */
export class Sinks {
  readonly #context: MemoryContext;

  /** @internal */
  constructor(context: MemoryContext) {
    this.#context = context;
  }

  /**
   * Sets the proof a sink must give. One that a placement named first is registered as `unfindable` and may be lowered
   * to `absent` once; what was registered here is never lowered.
   *
   * @throws InvalidInputError, StoreError
   */
  async register(input: RegisterSinkInput): Promise<SinkRegistration> {
    return registerSink(this.#context, input);
  }

  /** Every sink of a tenant, by name. */
  async list(input: TenantInput): Promise<readonly SinkRegistration[]> {
    return listSinks(this.#context, input);
  }
}

import { InvalidInputError } from "../../errors.js";
import type { Clock } from "../../ports/clock.js";
import { TenantState } from "./tenant-state.js";

/** The tenants of one store and its clock: what the parts of the store share. */
export class Tenants {
  private readonly states = new Map<string, TenantState>();

  constructor(private clock: Clock) {}

  useClock(clock: Clock): void {
    this.clock = clock;
  }

  /** Reading of a tenant leaves no trace of it, however many names are tried. */
  get(tenantKey: string): TenantState {
    return this.states.get(tenantKey) ?? new TenantState(tenantKey);
  }

  keep(tenantKey: string): TenantState {
    const state = this.get(tenantKey);
    this.states.set(tenantKey, state);
    return state;
  }

  now(): string {
    const now = this.clock.now();
    if (!(now instanceof Date) || Number.isNaN(now.getTime()))
      throw new InvalidInputError("clock", "gave no valid date");
    return now.toISOString();
  }

  /** For the dump: everything there is. */
  all(): ReadonlyMap<string, TenantState> {
    return this.states;
  }
}

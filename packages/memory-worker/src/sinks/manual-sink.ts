import { SinkError } from "../sink-error.js";
import type { Sink } from "../sink.js";

/** A place that only a person can clear: a vendor with a form, a laptop, a printed list. */
export interface ManualSinkOptions {
  readonly name: string;
}

/**
 * The worker leaves these copies alone and says so: it tells each once (`copy_left`, reason `manual`), and counts them
 * in every round. A person removes them, and reports it with `erasures.confirm` where they looked, or `erasures.attest` with a reference where they
 * vouch for it; the receipt then says `attested`.
 */
export function manualSink({ name }: ManualSinkOptions): Sink {
  return {
    name,
    manual: true,
    reaches: "requested",
    whyNotMore: "Nothing here can reach it: what is known of it is what a person says.",
    destroy: () => Promise.reject(new SinkError("refused")),
  };
}

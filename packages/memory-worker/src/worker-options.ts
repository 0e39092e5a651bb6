import { randomBytes } from "node:crypto";
import { InvalidInputError, type Clock } from "@demystify/memory";
import type { BackoffOptions } from "./backoff.js";
import type { Sink } from "./sink.js";
import type { WorkerEvent } from "./worker-event.js";
import type { WorkerMemory } from "./worker-memory.js";

/** How a worker works. Only `memory`, `sinks` and `tenantKeys` have no default. */
export interface WorkerOptions {
  readonly memory: WorkerMemory;
  /** Each `name` once. A copy in a sink that is not among them is left to another worker. */
  readonly sinks: readonly Sink[];
  /** Whose erasures. The store cannot list tenants, so the host names them; a function is asked in every round. */
  readonly tenantKeys: readonly string[] | (() => Promise<readonly string[]>);
  /** Under which name leases are taken. The default is this process's alone: two workers never share one. */
  readonly owner?: string;
  /** Who confirms, as the evidence shows it. Default: `worker`. */
  readonly by?: string;
  /**
   * How long copies are taken for, at least twice `callTimeoutSeconds`. A worker that dies frees its copies after that.
   * Default: 120, and four times `callTimeoutSeconds` where that is more.
   */
  readonly leaseSeconds?: number;
  /** How long one call to a sink may take. Default: 30. */
  readonly callTimeoutSeconds?: number;
  /** After so many tries a failing copy is given up, and its erasure escalated to a person. Default: 15, which is two to four hours with the default backoff. */
  readonly maxAttempts?: number;
  readonly backoff?: BackoffOptions;
  /** An erasure that somebody left between its steps is resumed when it is so old. Default: 60. */
  readonly resumeAfterSeconds?: number;
  /** When a confirmed copy is looked for again, counted from its confirmation. Default: an hour and a day. */
  readonly recheckAfterSeconds?: readonly number[];
  /** The pause between two rounds of the loop. Default: 15. */
  readonly pollSeconds?: number;
  /** How often the loop sweeps the sinks; 0: never. Default: 86,400. */
  readonly sweepEverySeconds?: number;
  /** Whether `purge` runs for every copy of a sink that has it, or only where that proof is required. */
  readonly purge?: "always" | "when_required";
  /**
   * `required`: a sink's "absent" is believed only after it has shown something that is there. `off`: it is believed
   * as it is, which certifies erasures in a place that was misspelt.
   */
  readonly positiveControl?: "required" | "off";
  /** Is told what happens. It must not throw; what it throws is dropped. */
  readonly onEvent?: (event: WorkerEvent) => void;
  /** For tests. */
  readonly clock?: Clock;
  /** For tests: 0 to 1. */
  readonly random?: () => number;
}

/** The options with every default in its place. */
export interface Settings {
  readonly memory: WorkerMemory;
  readonly sinks: ReadonlyMap<string, Sink>;
  readonly tenantKeys: () => Promise<readonly string[]>;
  readonly owner: string;
  readonly by: string;
  readonly leaseSeconds: number;
  readonly callTimeoutSeconds: number;
  readonly maxAttempts: number;
  readonly backoff: Required<BackoffOptions>;
  readonly resumeAfterSeconds: number;
  readonly recheckAfterSeconds: readonly number[];
  readonly pollSeconds: number;
  readonly sweepEverySeconds: number;
  readonly purge: "always" | "when_required";
  readonly positiveControl: "required" | "off";
  readonly emit: (event: WorkerEvent) => void;
  readonly now: () => number;
  readonly random: () => number;
}

/** @throws InvalidInputError */
export function readSettings(options: WorkerOptions): Settings {
  const { tenantKeys, onEvent, clock } = options;
  const recheckAfterSeconds = [...(options.recheckAfterSeconds ?? [3600, 86_400])].sort((a, b) => a - b);
  for (const seconds of recheckAfterSeconds) readSeconds(seconds, "recheckAfterSeconds", 0);
  const callTimeoutSeconds = readSeconds(options.callTimeoutSeconds, "callTimeoutSeconds", 30);
  const leaseSeconds = readSeconds(options.leaseSeconds, "leaseSeconds", Math.max(120, 4 * callTimeoutSeconds));
  if (leaseSeconds < 2 * callTimeoutSeconds) {
    throw new InvalidInputError(
      "leaseSeconds",
      "must be at least twice callTimeoutSeconds",
      "A lease has to outlast a look, or nothing that was seen under it can be confirmed. Raise it, or leave it out.",
    );
  }
  return {
    memory: options.memory,
    sinks: byName(options.sinks),
    tenantKeys: typeof tenantKeys === "function" ? tenantKeys : () => Promise.resolve(tenantKeys),
    owner: options.owner ?? `worker-${letters(12)}`,
    by: options.by ?? "worker",
    leaseSeconds,
    callTimeoutSeconds,
    maxAttempts: readSeconds(options.maxAttempts, "maxAttempts", 15),
    backoff: {
      baseSeconds: readSeconds(options.backoff?.baseSeconds, "backoff.baseSeconds", 2),
      maxSeconds: readSeconds(options.backoff?.maxSeconds, "backoff.maxSeconds", 3600),
    },
    resumeAfterSeconds: readSeconds(options.resumeAfterSeconds, "resumeAfterSeconds", 60),
    recheckAfterSeconds,
    pollSeconds: readSeconds(options.pollSeconds, "pollSeconds", 15),
    sweepEverySeconds: readSeconds(options.sweepEverySeconds, "sweepEverySeconds", 86_400),
    purge: options.purge ?? "always",
    positiveControl: options.positiveControl ?? "required",
    emit: quietly(onEvent),
    // Pauses and leases are lengths of time: a clock that is set forward must not end them.
    now: () => clock?.now().getTime() ?? performance.timeOrigin + performance.now(),
    random: options.random ?? Math.random,
  };
}

/** @throws InvalidInputError where two sinks have one name */
export function byName(sinks: readonly Sink[]): ReadonlyMap<string, Sink> {
  const named = new Map<string, Sink>();
  for (const sink of sinks) {
    if (named.has(sink.name)) throw new InvalidInputError("sinks", "names one sink twice");
    named.set(sink.name, sink);
  }
  return named;
}

/** A listener that cannot stop the work: what it throws is dropped. */
export function quietly(listener: ((event: WorkerEvent) => void) | undefined): (event: WorkerEvent) => void {
  return (event) => {
    try {
      listener?.(event);
    } catch {
      // The host's listener is not part of the erasure.
    }
  };
}

function readSeconds(value: number | undefined, path: string, fallback: number): number {
  const read = value ?? fallback;
  if (typeof read !== "number" || !(read >= 0 && read <= 31_622_400)) {
    throw new InvalidInputError(
      path,
      "must be a number from 0 to 31622400",
      "Correct the option; nothing was started.",
    );
  }
  return read;
}

// Letters only: a name in the evidence holds no run of digits.
function letters(length: number): string {
  return [...randomBytes(length)].map((byte) => String.fromCharCode(97 + (byte % 26))).join("");
}

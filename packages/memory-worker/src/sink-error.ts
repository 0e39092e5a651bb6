import type { AttemptCode } from "@demystify/memory";

/** Every code a `SinkError` has. Each stands for one code of `erasures.attempt`. */
export type SinkErrorCode = `ERR_SINK_${Uppercase<AttemptCode>}`;

/**
 * A sink did not do what it was asked, as a code. Nothing of the sink's own error is kept, neither its message nor as
 * `cause`: drivers quote keys and rows.
 */
export class SinkError extends Error {
  readonly code: SinkErrorCode;
  /** As `erasures.attempt` records it. */
  readonly attemptCode: AttemptCode;
  /** What to do next. */
  readonly help: string;
  /** Whether the same call may succeed later without anybody changing anything. */
  readonly retryable: boolean;
  /** How long the sink asked to be left alone. */
  readonly retryAfterSeconds: number | undefined;

  constructor(attemptCode: AttemptCode, options: { readonly retryAfterSeconds?: number | undefined } = {}) {
    const { message, help, retryable } = TEXTS[attemptCode];
    super(message);
    this.name = "SinkError";
    this.attemptCode = attemptCode;
    this.code = `ERR_SINK_${attemptCode.toUpperCase() as Uppercase<AttemptCode>}`;
    this.help = help;
    this.retryable = retryable;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** The error as plain data, for logs. */
  toJSON(): { name: string; code: SinkErrorCode; message: string; help: string; retryable: boolean } {
    return { name: this.name, code: this.code, message: this.message, help: this.help, retryable: this.retryable };
  }
}

/** The sink does not show what is known to be there, or has no way to tell: that it shows nothing proves nothing. */
export class BlindSinkError extends SinkError {
  constructor() {
    super("other");
    this.name = "BlindSinkError";
    this.message = "the sink does not show what is there, so that it shows nothing proves nothing";
  }
}

const TEXTS: Readonly<Record<AttemptCode, { message: string; help: string; retryable: boolean }>> = {
  timeout: {
    message: "the sink did not answer in time; whether it acted is unknown",
    help: "Try again: destroying twice is safe. If it stays so, raise callTimeoutSeconds or look at the sink.",
    retryable: true,
  },
  refused: {
    message: "the sink refused",
    help: "Look at the sink's own log: a lock, a retention rule or a malformed request stands in the way.",
    retryable: false,
  },
  unavailable: {
    message: "the sink cannot be reached or is failing",
    help: "Bring the sink back; the copy stays outstanding and is tried again.",
    retryable: true,
  },
  still_present: {
    message: "the copy can still be read after it was destroyed",
    help: "It is tried again. If it stays so, something writes it back, or the sink does not delete what it acknowledges.",
    retryable: true,
  },
  not_found: {
    message: "the place the sink is configured for does not exist",
    help: "Check the table, bucket or collection in the sink's options: a missing place proves nothing about the copy.",
    retryable: false,
  },
  rate_limited: {
    message: "the sink asked to slow down",
    help: "It is tried again later.",
    retryable: true,
  },
  auth: {
    message: "the sink did not accept the credentials",
    help: "Give the worker credentials that may read and delete.",
    retryable: false,
  },
  other: {
    message: "the sink failed in a way that has no code",
    help: "Look at the sink's own log at this time.",
    retryable: true,
  },
};

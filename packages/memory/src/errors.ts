import type { ErasureReceipt } from "./domain/receipt.js";

/** Every code this package throws. Stable within a major version; messages may improve any time. */
export type MemoryErrorCode =
  | "ERR_PROVENANCE_REQUIRED"
  | "ERR_UNKNOWN_SOURCE"
  | "ERR_SOURCE_FORGOTTEN"
  | "ERR_SUBJECT_FORGOTTEN"
  | "ERR_CONTENT_FORGOTTEN"
  | "ERR_FORGET_INCOMPLETE"
  | "ERR_TOMBSTONE_ORDERING"
  | "ERR_CLOSURE_NOT_ENUMERABLE"
  | "ERR_CONFIRMATION_REJECTED"
  | "ERR_LEGAL_HOLD"
  | "ERR_RESTRICTED"
  | "ERR_STALE_PREVIEW"
  | "ERR_TENANT_SCOPE"
  | "ERR_HOST_TRANSACTION"
  | "ERR_NOT_FOUND"
  | "ERR_INVALID_INPUT"
  | "ERR_INSTALL"
  | "ERR_EMBEDDER"
  | "ERR_STORE";

interface ErrorParts {
  readonly message: string;
  readonly help: string;
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/**
 * The base of every error this package throws. Branch on `code`.
 *
 * Nothing personal is in it: ids, counts and codes only, in the message, in every property, in `toJSON()` and in
 * `cause` (of a driver's error only the SQLSTATE and the routine are kept, because `detail` quotes row values).
 */
export abstract class MemoryError extends Error {
  abstract readonly code: MemoryErrorCode;
  /** Whether the same call may succeed later without anybody changing anything. */
  readonly retryable: boolean;
  /** What to do next. */
  readonly help: string;

  constructor(parts: ErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = new.target.name;
    this.help = parts.help;
    this.retryable = parts.retryable ?? false;
  }

  /** The error as plain data, for logs. */
  toJSON(): { name: string; code: MemoryErrorCode; message: string; help: string; retryable: boolean } {
    return { name: this.name, code: this.code, message: this.message, help: this.help, retryable: this.retryable };
  }
}

/** The input is not something the contract allows. Nothing was stored, queried or sent. */
export class InvalidInputError extends MemoryError {
  readonly code = "ERR_INVALID_INPUT";
  /** The argument at fault, as a path such as `sources[1].sourceId`. */
  readonly argument: string;

  constructor(argument: string, problem: string, help = "Correct the argument and call again; nothing was stored.") {
    super({ message: `${argument}: ${problem}`, help });
    this.argument = argument;
  }
}

/** A derived row was given no source. It could never be found by an erasure, so it is not stored. */
export class ProvenanceRequiredError extends MemoryError {
  readonly code = "ERR_PROVENANCE_REQUIRED";

  constructor() {
    super({
      message: "a derived row needs at least one source",
      help: "Pass in `sources` every memory and derived row that the text was made from.",
    });
  }
}

/** A source does not exist in this tenant (another tenant's row is the same as none), or has expired. */
export class UnknownSourceError extends MemoryError {
  readonly code = "ERR_UNKNOWN_SOURCE";
  readonly sourceIds: readonly string[];

  constructor(sourceIds: readonly string[]) {
    super({
      message: `unknown source: ${listIds(sourceIds)}`,
      help: "Check the ids and the tenant. Rows that have expired cannot be derived from.",
    });
    this.sourceIds = sourceIds;
  }
}

/** A source was forgotten. What it says must not be written anew. */
export class SourceForgottenError extends MemoryError {
  readonly code = "ERR_SOURCE_FORGOTTEN";
  readonly sourceIds: readonly string[];

  constructor(
    sourceIds: readonly string[],
    message = `forgotten source: ${listIds(sourceIds)}`,
    help = "Drop this job, and derive again from the sources that are left. Retrying will not help.",
  ) {
    super({ message, help });
    this.sourceIds = sourceIds;
  }
}

/** The row, or what it was captured from, is older than an erasure of the person it concerns. */
export class SubjectForgottenError extends MemoryError {
  readonly code = "ERR_SUBJECT_FORGOTTEN";

  constructor(what = "the person was forgotten after this was captured, or the id was erased") {
    super({
      message: what,
      help: "Drop this write: an erasure covers it. New data of the same person is accepted under a new id and without an earlier `capturedAt`.",
    });
  }
}

/** The text was erased before, and the store refuses to take it again (`onRematerialise: "refuse"`). */
export class ContentForgottenError extends MemoryError {
  readonly code = "ERR_CONTENT_FORGOTTEN";

  constructor() {
    super({
      message: "this text was erased before",
      help: 'Drop this write, or set `onRematerialise: "report"` to store such rows and be told.',
    });
  }
}

/** The erasure is open but not finished. It carries the receipt; nothing it covers can be read any more. */
export class ForgetIncompleteError extends MemoryError {
  readonly code = "ERR_FORGET_INCOMPLETE";
  readonly receipt: ErasureReceipt;

  constructor(receipt: ErasureReceipt) {
    const waiting = receipt.outstanding.length;
    const reason =
      receipt.state === "escalated"
        ? `was escalated (${receipt.escalation?.code ?? "operator"})`
        : waiting > 0
          ? `has ${waiting} placement${waiting === 1 ? "" : "s"} unconfirmed in ${listSinks(receipt)}`
          : receipt.state === "complete"
            ? "was closed on a person's word, not by confirmation"
            : "has not been destroyed yet";
    super({
      message: `erasure ${receipt.tombstoneId} ${reason}`,
      help:
        waiting > 0
          ? "List them with erasures.outstanding(), confirm each, or escalate; then erasures.resume()."
          : "Call erasures.resume() with this tombstoneId, or erasures.status() to see where it stands.",
    });
    this.receipt = receipt;
  }

  override toJSON() {
    return { ...super.toJSON(), receipt: this.receipt };
  }
}

/** Destruction was attempted without a tombstone that an earlier transaction had committed. */
export class TombstoneOrderingError extends MemoryError {
  readonly code = "ERR_TOMBSTONE_ORDERING";

  constructor(message = "nothing may be destroyed before its tombstone is durable") {
    super({ message, help: "Open the erasure, commit, and resume it in a transaction of its own." });
  }
}

/** What an erasure must cover cannot be listed, so nothing may be certified. */
export class ClosureNotEnumerableError extends MemoryError {
  readonly code = "ERR_CLOSURE_NOT_ENUMERABLE";
  /** The id of the pepper key that is missing or wrong; `null` for rows that were written without a pepper. */
  readonly missingKeyId?: string | null;

  constructor(message: string, help: string, missingKeyId?: string | null) {
    super({ message, help });
    if (missingKeyId !== undefined) this.missingKeyId = missingKeyId;
  }
}

/** A confirmation was below what its sink requires, or came too early. */
export class ConfirmationRejectedError extends MemoryError {
  readonly code = "ERR_CONFIRMATION_REJECTED";

  constructor(message: string, help: string) {
    super({ message, help });
  }
}

/** The rows are under a legal hold. */
export class LegalHoldError extends MemoryError {
  readonly code = "ERR_LEGAL_HOLD";

  constructor() {
    super({
      message: "a legal hold is active",
      help: "List it with holds.list(); release it with holds.release() once it no longer applies, then call again.",
    });
  }
}

/** The rows are restricted: kept, but not to be used. */
export class RestrictedError extends MemoryError {
  readonly code = "ERR_RESTRICTED";

  constructor(what = "a source is restricted") {
    super({ message: what, help: "Lift the restriction with restrictions.lift() if it no longer applies." });
  }
}

/** What would be erased has changed since the preview was made. */
export class StalePreviewError extends MemoryError {
  readonly code = "ERR_STALE_PREVIEW";

  constructor() {
    super({
      message: "the closure has changed since the preview",
      help: "Call previewForget() again, show the new preview, and pass its token.",
    });
  }
}

/** The session works for another tenant, or for none. */
export class TenantScopeError extends MemoryError {
  readonly code = "ERR_TENANT_SCOPE";

  constructor(message = "the session is set to another tenant") {
    super({
      message,
      help: "Pass the tenant that app.current_tenant names on the connection, or set it for this transaction first.",
    });
  }
}

/** A call that must commit more than once was made inside a transaction of the host, or at another isolation level. */
export class HostTransactionError extends MemoryError {
  readonly code = "ERR_HOST_TRANSACTION";

  constructor(message = "this call commits more than once and cannot run inside a transaction") {
    super({
      message,
      help: "Call it outside the transaction; or use erasures.open, commit, erasures.resume, commit.",
    });
  }
}

/** No such thing in this tenant. */
export class NotFoundError extends MemoryError {
  readonly code = "ERR_NOT_FOUND";
  readonly what: "erasure" | "memory" | "placement" | "hold" | "restriction";

  constructor(what: NotFoundError["what"]) {
    super({ message: `no such ${what} in this tenant`, help: "Check the id and the tenant." });
    this.what = what;
  }
}

/** The database is not installed, not the version this package needs, or fails its own checks. */
export class InstallError extends MemoryError {
  readonly code = "ERR_INSTALL";
  readonly failedChecks: readonly string[];

  constructor(message: string, help: string, failedChecks: readonly string[] = []) {
    super({ message, help });
    this.failedChecks = failedChecks;
  }
}

/** A vector was demanded and the embedder did not give a usable one. The embedder's own error is not kept. */
export class EmbedderError extends MemoryError {
  readonly code = "ERR_EMBEDDER";

  constructor(message: string) {
    super({
      message,
      help: "Check the embedder, pass `embedding` yourself, or leave `strategy` unset to fall back to terms.",
      retryable: true,
    });
  }
}

/** The store failed in a way that is none of the above. `cause` has the SQLSTATE where there is one. */
export class StoreError extends MemoryError {
  readonly code = "ERR_STORE";

  constructor(
    message: string,
    options: { readonly retryable: boolean; readonly help: string; readonly cause?: unknown },
  ) {
    super({ message, ...options });
  }
}

function listIds(ids: readonly string[]): string {
  const shown = ids.slice(0, 5).join(", ");
  return ids.length > 5 ? `${shown} and ${ids.length - 5} more` : shown;
}

function listSinks(receipt: ErasureReceipt): string {
  const sinks = [...new Set(receipt.outstanding.map((placement) => placement.sink))];
  return `sink${sinks.length === 1 ? "" : "s"} ${sinks.map((sink) => `"${sink}"`).join(", ")}`;
}

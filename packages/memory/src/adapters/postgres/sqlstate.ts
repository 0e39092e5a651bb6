import {
  ClosureNotEnumerableError,
  ConfirmationRejectedError,
  ContentForgottenError,
  HostTransactionError,
  InstallError,
  InvalidInputError,
  LegalHoldError,
  MemoryError,
  NotFoundError,
  ProvenanceRequiredError,
  RestrictedError,
  SourceForgottenError,
  StalePreviewError,
  StoreError,
  SubjectForgottenError,
  TenantScopeError,
  TombstoneOrderingError,
  UnknownSourceError,
} from "../../errors.js";

/** What our own SQL puts into an error: a message without content, and ids as JSON in `detail`. */
interface OwnError {
  readonly message: string;
  readonly detail: {
    readonly ids?: readonly string[];
    readonly what?: NotFoundError["what"];
    readonly keyId?: string | null;
  };
}

const NOT_INSTALLED = "Run migrate(db), or psql -f migrations/0001_memory.sql, as the role that owns the installation.";

/** The errors our SQL raises (class ME), one for one. */
const OWN: Readonly<Record<string, (error: OwnError) => MemoryError>> = {
  ME001: ({ message }) => {
    const colon = message.indexOf(": ");
    return new InvalidInputError(message.slice(0, colon), message.slice(colon + 2));
  },
  ME002: ({ detail }) => new UnknownSourceError(detail.ids ?? []),
  ME003: ({ detail }) => new SourceForgottenError(detail.ids ?? []),
  ME004: () => new SubjectForgottenError(),
  ME005: ({ message }) => new TombstoneOrderingError(message),
  ME006: () => new ContentForgottenError(),
  ME007: () => new LegalHoldError(),
  ME008: () => new RestrictedError(),
  ME009: () => new StalePreviewError(),
  ME010: ({ message }) => new TenantScopeError(message),
  ME011: ({ message }) => new HostTransactionError(message),
  ME012: ({ detail }) => new NotFoundError(detail.what ?? "erasure"),
  ME013: ({ message, detail }) =>
    new ClosureNotEnumerableError(message, "Configure the key that is missing, then call again.", detail.keyId),
  ME014: ({ message }) =>
    new ConfirmationRejectedError(message, "Read back at the sink's required level, then confirm."),
  ME015: ({ message }) => new StoreError(message, { retryable: false, help: "Erase the row and store a new one." }),
  ME018: ({ message }) =>
    new InstallError(message, "A rule, trigger or policy of the host swallows deletes: run verifyInstall(db)."),
};

const RETRYABLE = /^(?:40001|40P01|55P03|57014|57P0[123]|53...|08...)$/;

/**
 * The one table from SQLSTATE to typed error. Of the driver's error only the SQLSTATE and the routine survive:
 * its message and `detail` quote values.
 */
export function toMemoryError(error: unknown): MemoryError {
  if (error instanceof MemoryError) return error;
  const sqlstate = field(error, "code");
  const own = OWN[sqlstate];
  if (own !== undefined) return own({ message: field(error, "message"), detail: parseDetail(field(error, "detail")) });

  const cause = new Error(`SQLSTATE ${sqlstate === "" ? "unknown" : sqlstate}`);
  Object.assign(cause, { code: sqlstate, routine: field(error, "routine") });
  if (sqlstate === "2D000") return new HostTransactionError();
  if (sqlstate === "23514" && field(error, "constraint") === "derived_requires_provenance")
    return new ProvenanceRequiredError();
  if (sqlstate === "3F000" || sqlstate === "42883" || sqlstate === "42P01") {
    return new InstallError("the schema demystify_memory is not installed here, or not in this version", NOT_INSTALLED);
  }
  if (sqlstate === "42501") {
    return new InstallError(
      "the role that connects may not call the functions of the schema demystify_memory",
      "Apply grantsSql({ appRole }) for that role.",
    );
  }
  return new StoreError(
    sqlstate === ""
      ? "the database could not be reached, or the driver failed"
      : `the database refused the statement (SQLSTATE ${sqlstate})`,
    {
      retryable: sqlstate === "" || RETRYABLE.test(sqlstate),
      help: "Look the SQLSTATE up in the Postgres documentation, and in the server's own log for details.",
      cause,
    },
  );
}

function field(error: unknown, name: string): string {
  if (typeof error !== "object" || error === null) return "";
  const value = (error as Record<string, unknown>)[name];
  return typeof value === "string" ? value : "";
}

function parseDetail(detail: string): OwnError["detail"] {
  try {
    return JSON.parse(detail) as OwnError["detail"];
  } catch {
    return {};
  }
}

export { InMemoryStore } from "./adapters/in-memory/in-memory-store.js";
export {
  configure,
  grantsSql,
  type InstallCheck,
  migrate,
  type Migration,
  type MigrationPlan,
  PgMemoryStore,
  type PgMemoryStoreOptions,
  plan,
  type Queryable,
  verifyInstall,
} from "./adapters/postgres/index.js";
export { cascadeDerived, type ProvenanceEdge } from "./domain/cascade.js";
export type {
  ErasureOrigin,
  ErasureReason,
  ErasureState,
  EscalationCode,
  LegalBasis,
  NotCovered,
  RequesterRole,
  RowKind,
} from "./domain/codes.js";
export type {
  ErasureCounts,
  ErasurePreview,
  ErasureReceipt,
  Rebuildable,
  Tombstone,
  TombstoneScope,
} from "./domain/receipt.js";
export type {
  DerivedRow,
  JsonValue,
  Lineage,
  LineageNode,
  MemoryRow,
  Metadata,
  Page,
  SourceRef,
} from "./domain/rows.js";
export type { Erasures } from "./erasures.js";
export {
  ClosureNotEnumerableError,
  ConfirmationRejectedError,
  ContentForgottenError,
  EmbedderError,
  ForgetIncompleteError,
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
  type MemoryErrorCode,
} from "./errors.js";
export type { Pepper } from "./hash/pepper.js";
export { sha256Hex, subjectHash } from "./hash/public-hashes.js";
export { Memory } from "./memory.js";
export type { Clock } from "./ports/clock.js";
export type { EmbedderPort } from "./ports/embedder.js";
export type {
  Coverage,
  EmbeddingUpdate,
  InsertOutcome,
  LexicalQuery,
  ListQuery,
  MemoryStore,
  NewDerived,
  NewMemory,
  OpenErasure,
  RankedRow,
  RankedRows,
  RecallFilter,
  ReceiptQuery,
  RowText,
  StoreCapabilities,
  StoreScope,
  StoreSubject,
  SubjectHash,
  TermsUpdate,
  TombstoneQuery,
  VectorQuery,
} from "./ports/memory-store.js";
export { cosineSimilarity, lexicalScore } from "./recall/scores.js";
export {
  createRedactor,
  defaultRedactor,
  isValidAadhaar,
  isValidGstin,
  isValidIfsc,
  isValidPan,
  noRedactor,
  redact,
  scanPii,
  strictRedactor,
  type RedactionKind,
  type RedactorOptions,
} from "./redaction/index.js";
export type { Redaction, RedactionResult, RedactorPort } from "./redaction/redactor-port.js";
export type { AuditInput } from "./use-cases/assert-auditable.js";
export type { MemoryOptions } from "./use-cases/context.js";
export type { DeriveInput, DeriveResult } from "./use-cases/derive.js";
export type { NotEmbedded } from "./use-cases/embed-texts.js";
export type { ErasureHistoryOptions } from "./use-cases/erasure-history.js";
export type { ForgetInput } from "./use-cases/erasure-request.js";
export type { ErasureScope, MemoriesScope, SubjectScope } from "./use-cases/erasure-scope.js";
export type { ErasureRef } from "./use-cases/erasure-status.js";
export type { LineageInput } from "./use-cases/lineage.js";
export type { ErasurePage, ListErasuresInput } from "./use-cases/list-erasures.js";
export type { ListRowsInput } from "./use-cases/list-rows.js";
export type { Refused } from "./use-cases/prepare-content.js";
export type { RecallInput, RecallResult } from "./use-cases/recall.js";
export type { ReindexTermsInput, ReindexTermsResult } from "./use-cases/reindex-terms.js";
export type { RememberInput, RememberResult } from "./use-cases/remember.js";
export type { SetEmbeddingsInput, SetEmbeddingsResult } from "./use-cases/set-embeddings.js";

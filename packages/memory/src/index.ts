export { InMemoryStore } from "./adapters/in-memory/in-memory-store.js";
export {
  configure,
  ensureVectorIndex,
  grantsSql,
  type InstallCheck,
  migrate,
  type Migration,
  type InstallChoices,
  type MigrationPlan,
  PgMemoryStore,
  type PgMemoryStoreOptions,
  plan,
  type Queryable,
  type VectorIndexInput,
  type VectorIndexPlan,
  verifyInstall,
} from "./adapters/postgres/index.js";
export type { ExportedRow, WithheldRow } from "./domain/access.js";
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
  AttemptCode,
  OutstandingPlacement,
  Placement,
  PlacementStanding,
  PlacementStatus,
  ProofLevel,
  RequiredProof,
  SinkRegistration,
} from "./domain/placement.js";
export type {
  ErasureCounts,
  ErasurePreview,
  ErasureReceipt,
  Rebuildable,
  Tombstone,
  TombstoneScope,
} from "./domain/receipt.js";
export type { Finding, FindingCode, ReconcileCoverage, TombstoneRecord } from "./domain/reconciliation.js";
export type { HoldCode, LegalHold, RestrictionBasis } from "./domain/restriction.js";
export type { PeriodInput, RowFilterInput } from "./domain/input/row-filter.js";
export type { MetadataCondition, MetadataConditions, Period, RowFilter } from "./domain/row-filter.js";
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
export type { Verdict } from "./domain/verdict.js";
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
export type { Holds } from "./holds.js";
export type { Pepper } from "./hash/pepper.js";
export { sha256Hex, subjectHash } from "./hash/public-hashes.js";
export { Memory } from "./memory.js";
export type { Placements } from "./placements.js";
export type { Clock } from "./ports/clock.js";
export type { EmbedderPort } from "./ports/embedder.js";
export type {
  Coverage,
  EmbeddingUpdate,
  InsertOptions,
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
  VectorIndex,
  VectorQuery,
} from "./ports/memory-store.js";
export type {
  Attestation,
  ConfirmationRejection,
  NewPlacement,
  PlacementAttempt,
  PlacementConfirmation,
  PlacementLease,
  PlacementStore,
  SeenUnder,
} from "./ports/placement-store.js";
export type { RestrictionStore } from "./ports/restriction-store.js";
export type { Correction, KeyCheck, ReconcilePage, ReconcileResult, UpkeepStore } from "./ports/upkeep-store.js";
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
export type { Restrictions } from "./restrictions.js";
export type { Sinks } from "./sinks.js";
export type { AuditInput } from "./use-cases/assert-auditable.js";
export type { AttestInput } from "./use-cases/attest-erasure.js";
export type { ConfirmInput } from "./use-cases/confirm-placement.js";
export type { MemoryOptions } from "./use-cases/context.js";
export type { CorrectInput, CorrectResult } from "./use-cases/correct.js";
export type { DeriveInput, DeriveResult } from "./use-cases/derive.js";
export type { NotEmbedded } from "./use-cases/embed-texts.js";
export type { ErasureHistoryOptions } from "./use-cases/erasure-history.js";
export type { ErasureGround, ForgetInput } from "./use-cases/erasure-request.js";
export type { ErasureScope, MemoriesScope, SubjectScope } from "./use-cases/erasure-scope.js";
export type { ErasureRef } from "./use-cases/erasure-status.js";
export type { EscalateInput } from "./use-cases/escalate-erasure.js";
export type { ExpireInput, ExpireResult } from "./use-cases/expire.js";
export type { ExportSubjectInput } from "./use-cases/export-subject.js";
export type { ExportedTombstones } from "./use-cases/exported-tombstones.js";
export type { ForgetTenantInput, ForgetTenantResult } from "./use-cases/forget-tenant.js";
export type { IsForgottenInput, IsForgottenResult } from "./use-cases/is-forgotten.js";
export type { RestrictionRef } from "./use-cases/lift-restriction.js";
export type { LineageInput } from "./use-cases/lineage.js";
export type { ErasurePage, ListErasuresInput } from "./use-cases/list-erasures.js";
export type { OutstandingOptions } from "./use-cases/list-outstanding.js";
export type { ListRowsInput } from "./use-cases/list-rows.js";
export type { PlaceHoldInput } from "./use-cases/place-hold.js";
export type { PlacementRef } from "./use-cases/placement-ref.js";
export type { PlacementStatusInput } from "./use-cases/placement-status.js";
export type { Refused } from "./use-cases/prepare-content.js";
export type { RecallResult } from "./use-cases/recall.js";
export type { RecallInput, RecallStrategy } from "./use-cases/recall-input.js";
export type { ReconcileAnswer, ReconcileInput } from "./use-cases/reconcile.js";
export type { AttemptInput } from "./use-cases/record-attempt.js";
export type { RecordPlacementInput } from "./use-cases/record-placement.js";
export type { RegisterSinkInput } from "./use-cases/register-sink.js";
export type { ReindexTermsInput, ReindexTermsResult } from "./use-cases/reindex-terms.js";
export type { HoldRef } from "./use-cases/release-hold.js";
export type { RememberInput, RememberResult } from "./use-cases/remember.js";
export type { ReplayInput, ReplayResult } from "./use-cases/replay.js";
export type { WrittenInput } from "./use-cases/report-written.js";
export type { RestrictInput } from "./use-cases/restrict.js";
export type { SetEmbeddingsInput, SetEmbeddingsResult } from "./use-cases/set-embeddings.js";
export type { TenantInput } from "./use-cases/tenant-input.js";

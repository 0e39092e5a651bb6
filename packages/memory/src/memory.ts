import { InMemoryStore } from "./adapters/in-memory/in-memory-store.js";
import type { ExportedRow } from "./domain/access.js";
import { readKey } from "./domain/input/strings.js";
import type { Placement } from "./domain/placement.js";
import type { ErasurePreview, ErasureReceipt, Tombstone } from "./domain/receipt.js";
import type { DerivedRow, Lineage, MemoryRow, Page } from "./domain/rows.js";
import { Erasures } from "./erasures.js";
import { Holds } from "./holds.js";
import { Placements } from "./placements.js";
import type { StoreCapabilities } from "./ports/memory-store.js";
import { defaultRedactor } from "./redaction/index.js";
import { Restrictions } from "./restrictions.js";
import { Sinks } from "./sinks.js";
import { createContext, type MemoryContext, type MemoryOptions } from "./use-cases/context.js";
import { correct, type CorrectInput, type CorrectResult } from "./use-cases/correct.js";
import { derive, type DeriveInput, type DeriveResult } from "./use-cases/derive.js";
import { deriveMany } from "./use-cases/derive-many.js";
import { erasureHistory, type ErasureHistoryOptions } from "./use-cases/erasure-history.js";
import type { ForgetInput } from "./use-cases/erasure-request.js";
import type { ErasureScope } from "./use-cases/erasure-scope.js";
import { exportSubject, type ExportSubjectInput } from "./use-cases/export-subject.js";
import { forget } from "./use-cases/forget.js";
import { getDerived, getMemory } from "./use-cases/get-row.js";
import { isForgotten, type IsForgottenInput, type IsForgottenResult } from "./use-cases/is-forgotten.js";
import { lineage, type LineageInput } from "./use-cases/lineage.js";
import { listDerived, listMemories, type ListRowsInput } from "./use-cases/list-rows.js";
import type { Refused } from "./use-cases/prepare-content.js";
import { previewForget } from "./use-cases/preview-forget.js";
import { recall, type RecallResult } from "./use-cases/recall.js";
import type { RecallInput } from "./use-cases/recall-input.js";
import { recordPlacement, type RecordPlacementInput } from "./use-cases/record-placement.js";
import { reindexTerms, type ReindexTermsInput, type ReindexTermsResult } from "./use-cases/reindex-terms.js";
import { remember, type RememberInput, type RememberResult } from "./use-cases/remember.js";
import { rememberMany } from "./use-cases/remember-many.js";
import { setEmbeddings, type SetEmbeddingsInput, type SetEmbeddingsResult } from "./use-cases/set-embeddings.js";

/**
 * Agent memory that can be erased, with proof: stores texts under a person, recalls them, and forgets the person with
 * everything that was derived from them.
 *
 * Every method checks its argument first and throws `InvalidInputError` for anything the contract does not allow,
 * before anything is stored, queried or sent. Another tenant's row is the same as none.
 *
 * ```ts
 * const memory = new Memory();
 * await memory.remember({ tenantKey: "acme", subjectKey: "customer:ramesh", text: "Prefers Hindi." });
 * const receipt = await memory.forget({ tenantKey: "acme", subjectKey: "customer:ramesh" });
 * ```
 */
export class Memory {
  readonly #context: MemoryContext;

  /** Erasures step by step, the copies they wait for, and the sweep that checks them. */
  readonly erasures: Erasures;
  /** What writers report of the copies they recorded. */
  readonly placements: Placements;
  /** Where copies go. */
  readonly sinks: Sinks;
  /** Content that is kept but not used. */
  readonly restrictions: Restrictions;
  /** Erasure lawfully blocked. */
  readonly holds: Holds;

  /** @throws InvalidInputError */
  constructor(options: MemoryOptions = {}) {
    this.#context = createContext(options, { store: () => new InMemoryStore(), redactor: defaultRedactor });
    this.erasures = new Erasures(this.#context);
    this.placements = new Placements(this.#context);
    this.sinks = new Sinks(this.#context);
    this.restrictions = new Restrictions(this.#context);
    this.holds = new Holds(this.#context);
  }

  /**
   * Stores one text under a person, redacted before it is written or embedded. A failing embedder does not fail the
   * write: the result says `embedded: false` and why.
   *
   * @throws InvalidInputError, SubjectForgottenError (captured before the person's erasure), ContentForgottenError
   * (erased before, with `onRematerialise: "refuse"`), StoreError
   */
  async remember(input: RememberInput): Promise<RememberResult> {
    return remember(this.#context, input);
  }

  /**
   * Stores up to 10,000 texts, with one call of the embedder for each 1,000. One result per input, in order; an input
   * that is refused is `{ error }`, and the others are stored.
   *
   * @throws InvalidInputError for the list as a whole; StoreError only where nothing was stored
   */
  async rememberMany(inputs: readonly RememberInput[]): Promise<readonly (RememberResult | Refused)[]> {
    return rememberMany(this.#context, inputs);
  }

  /**
   * Stores a text that was made from other rows, and which ones. It is redacted as well, and erased when any of its
   * sources is.
   *
   * @throws InvalidInputError, ProvenanceRequiredError, UnknownSourceError, SourceForgottenError, RestrictedError,
   * StoreError
   */
  async derive(input: DeriveInput): Promise<DeriveResult> {
    return derive(this.#context, input);
  }

  /** As `rememberMany`, for derived rows. Their sources must be stored already. */
  async deriveMany(inputs: readonly DeriveInput[]): Promise<readonly (DeriveResult | Refused)[]> {
    return deriveMany(this.#context, inputs);
  }

  /**
   * Records that content is about to be copied to a sink outside the store: a vector index, a cache, an export. Record
   * first, write second. An erasure of any source then waits until the copy is known to be gone, in whatever process.
   * The same copy recorded twice is one placement.
   *
   * @throws InvalidInputError, ProvenanceRequiredError, UnknownSourceError, SourceForgottenError, RestrictedError,
   * StoreError
   */
  async recordPlacement(input: RecordPlacementInput): Promise<{ readonly placement: Placement }> {
    return recordPlacement(this.#context, input);
  }

  /**
   * Finds rows by vector where one can be had, else by exact term overlap; `note` says in plain words what was done
   * and what was not. It neither fails for want of an embedder nor pretends to have one.
   *
   * @throws InvalidInputError; EmbedderError where `strategy: "vector"` was demanded and the embedder failed
   */
  async recall(input: RecallInput): Promise<RecallResult> {
    return recall(this.#context, input);
  }

  /**
   * Erases a person, or chosen memories of one, with everything derived from them. A tombstone is durable before
   * anything is destroyed, and the call succeeds only once every copy is confirmed gone. Where nothing is found the
   * receipt says `matched: false`: that is an answer too.
   *
   * @throws ForgetIncompleteError, with the receipt, while it is not complete; nothing it covers can be read by then
   * @throws InvalidInputError, StalePreviewError, LegalHoldError, ClosureNotEnumerableError (a pepper key is missing),
   * HostTransactionError, StoreError
   */
  async forget(input: ForgetInput): Promise<ErasureReceipt> {
    return forget(this.#context, input);
  }

  /** What `forget` with this scope would erase now. Its `token` makes `forget` refuse if that has changed. */
  async previewForget(scope: ErasureScope): Promise<ErasurePreview> {
    return previewForget(this.#context, scope);
  }

  /**
   * Everything an erasure of a person would take, for the person to see: memories, derived rows, copies, restricted
   * and expired rows included. What also concerns others comes without its content unless `includeShared` is set:
   * access must not become disclosure.
   *
   * @throws InvalidInputError at once; ClosureNotEnumerableError, StoreError while it is read
   */
  exportSubject(input: ExportSubjectInput): AsyncIterable<ExportedRow> {
    return exportSubject(this.#context, input);
  }

  /**
   * Which of these ids and texts a tombstone covers: for a host's own jobs, before they use what they read earlier.
   * Texts that were erased before there was a pepper are not known again.
   *
   * @throws InvalidInputError, also for a text that cannot be told; ClosureNotEnumerableError, StoreError
   */
  async isForgotten(input: IsForgottenInput): Promise<IsForgottenResult> {
    return isForgotten(this.#context, input);
  }

  /**
   * Replaces the text of a memory: the new text is a new memory, stored in the step that opens the erasure of the old
   * one, so that a crash loses neither. What was derived from the old text goes with it. The persons, the kind,
   * `metadata`, `capturedAt` and `expiresAt` are carried over. The receipt may be in progress.
   *
   * @throws NotFoundError, SubjectForgottenError (a tombstone covers it), RestrictedError, LegalHoldError,
   * InvalidInputError, HostTransactionError, StoreError
   */
  async correct(input: CorrectInput): Promise<CorrectResult> {
    return correct(this.#context, input);
  }

  /** One memory; `null` if it is unknown, hidden or the id is malformed. */
  async getMemory(tenantKey: string, memoryId: string): Promise<MemoryRow | null> {
    return getMemory(this.#context, tenantKey, memoryId);
  }

  /** One derived row; `null` if it is unknown, hidden or the id is malformed. */
  async getDerived(tenantKey: string, derivedId: string): Promise<DerivedRow | null> {
    return getDerived(this.#context, tenantKey, derivedId);
  }

  /** A page of memories, newest first. */
  async listMemories(input: ListRowsInput): Promise<Page<MemoryRow>> {
    return listMemories(this.#context, input);
  }

  /** A page of derived rows, newest first. */
  async listDerived(input: ListRowsInput): Promise<Page<DerivedRow>> {
    return listDerived(this.#context, input);
  }

  /** What a row was made from and what was made from it; `null` as in `getMemory`. */
  async lineage(input: LineageInput): Promise<Lineage | null> {
    return lineage(this.#context, input);
  }

  /** Tombstones, newest first: of everybody, or of one person under every configured key. They hold no content. */
  async erasureHistory(tenantKey: string, options?: ErasureHistoryOptions): Promise<readonly Tombstone[]> {
    return erasureHistory(this.#context, tenantKey, options);
  }

  /**
   * The hash that this package writes for a person: 64 lower-case hexadecimal digits, under the first key.
   *
   * @throws InvalidInputError
   */
  subjectFingerprint(tenantKey: string, subjectKey: string): string {
    return this.#context.keyring.subject(readKey(tenantKey, "tenantKey"), readKey(subjectKey, "subjectKey"))[0].hash;
  }

  /** What the store can do here and now. */
  async capabilities(): Promise<StoreCapabilities> {
    return this.#context.store.capabilities();
  }

  /** Replaces vectors, after a change of model. Text, sources and identity stay. */
  async setEmbeddings(input: SetEmbeddingsInput): Promise<SetEmbeddingsResult> {
    return setEmbeddings(this.#context, input);
  }

  /** Makes rows that plain SQL inserted findable by their terms. Call again while it answers `more`. */
  async reindexTerms(input: ReindexTermsInput): Promise<ReindexTermsResult> {
    return reindexTerms(this.#context, input);
  }
}

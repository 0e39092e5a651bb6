import { readOneOf } from "../domain/input/codes.js";
import { readBoolean, readFields } from "../domain/input/fields.js";
import { readInteger } from "../domain/input/numbers.js";
import { InvalidInputError } from "../errors.js";
import { Keyring } from "../hash/keyring.js";
import { readPepper, type Pepper } from "../hash/pepper.js";
import type { Clock } from "../ports/clock.js";
import type { EmbedderPort } from "../ports/embedder.js";
import type { MemoryStore, StoreSubject, SubjectHash } from "../ports/memory-store.js";
import type { RedactorPort } from "../redaction/redactor-port.js";
import { checkedRedactor } from "./checked-redactor.js";

/** How a `Memory` is set up. Everything has a default that needs nothing else. */
export interface MemoryOptions {
  /** Where memories live. Default: a new `InMemoryStore`. */
  readonly store?: MemoryStore;
  /** Turns texts into vectors. Default: none; recall then ranks by terms and says so. It sees redacted text only. */
  readonly embedder?: EmbedderPort;
  /** Takes identifiers out of texts before they are stored or embedded. Default: `defaultRedactor`. */
  readonly redactor?: RedactorPort;
  /**
   * The secret that keys every hash, at least 32 bytes, or a list of `{ id, secret }` for rotation, newest first.
   * Without it hashes are plain SHA-256 and every receipt says `subjectHashKeyed: false`.
   */
  readonly subjectHashPepper?: Pepper;
  /** Time for a store that has no clock of its own. Postgres uses server time. */
  readonly clock?: Clock;
  /** Whether the strings inside `metadata` are redacted too. Default: `false`, metadata is stored verbatim. */
  readonly redactMetadata?: boolean;
  /** `false` keeps only the hash of a subject key: reads then return `subjectKey: null`. Default: `true`. */
  readonly storeSubjectKeys?: boolean;
  /** The longest text, and the largest metadata, in bytes of UTF-8. Default: 1,048,576. */
  readonly maxTextBytes?: number;
  /** How many of the newest rows an in-process vector ranking looks at. Default: 1,000. */
  readonly candidatePool?: number;
  /** How many rows one transaction destroys at most. Default: 50,000. */
  readonly destroyChunkRows?: number;
  /**
   * What happens to a text that was erased before: stored and reported (`rematerialised: true`), the default, or
   * refused (`ContentForgottenError`). Erased texts are known by keyed tags, so only with a pepper.
   */
  readonly onRematerialise?: "report" | "refuse";
}

/** What every verb works with. Not exported from the package: it reaches the secrets. */
export interface MemoryContext {
  readonly store: MemoryStore;
  readonly embedder: EmbedderPort | null;
  /** Its answers are checked already. */
  readonly redactor: RedactorPort;
  readonly redactMetadata: boolean;
  readonly keyring: Keyring;
  readonly storeSubjectKeys: boolean;
  readonly maxTextBytes: number;
  readonly candidatePool: number;
  readonly destroyChunkRows: number;
  readonly onRematerialise: "report" | "refuse";
  /** Of tenants that were looked at: whether they have rows from before there was a pepper (see `underEveryKey`). */
  readonly unkeyedTenants: Map<string, boolean>;
}

const OPTION_NAMES = [
  "store",
  "embedder",
  "redactor",
  "subjectHashPepper",
  "clock",
  "redactMetadata",
  "storeSubjectKeys",
  "maxTextBytes",
  "candidatePool",
  "destroyChunkRows",
  "onRematerialise",
] as const satisfies readonly (keyof MemoryOptions)[];

/** The options checked and completed, and the store told which clock to use. */
export function createContext(
  options: MemoryOptions,
  defaults: { readonly store: () => MemoryStore; readonly redactor: RedactorPort },
): MemoryContext {
  const fields = readFields(options, OPTION_NAMES, "", "options");
  const store = readPort<MemoryStore>(fields.store, "store", ["insertMemories", "recallLexical", "forget"]);
  const clock = readPort<Clock>(fields.clock, "clock", ["now"]);
  const context = {
    embedder: readPort<EmbedderPort>(fields.embedder, "embedder", ["embed"]),
    redactor: checkedRedactor(readPort<RedactorPort>(fields.redactor, "redactor", ["redact"]) ?? defaults.redactor),
    redactMetadata: readBoolean(fields.redactMetadata, "redactMetadata", false),
    keyring: new Keyring(
      fields.subjectHashPepper === undefined ? [] : readPepper(fields.subjectHashPepper, "subjectHashPepper"),
    ),
    storeSubjectKeys: readBoolean(fields.storeSubjectKeys, "storeSubjectKeys", true),
    maxTextBytes: readInteger(fields.maxTextBytes, "maxTextBytes", { min: 1, max: 268_435_456, fallback: 1_048_576 }),
    candidatePool: readInteger(fields.candidatePool, "candidatePool", { min: 1, max: 1_000_000, fallback: 1000 }),
    destroyChunkRows: readInteger(fields.destroyChunkRows, "destroyChunkRows", {
      min: 1,
      max: 1_000_000,
      fallback: 50_000,
    }),
    onRematerialise: readOneOf(fields.onRematerialise, "onRematerialise", ["report", "refuse"], "report"),
    store: store ?? defaults.store(),
    unkeyedTenants: new Map<string, boolean>(),
  };
  if (clock !== null) context.store.useClock?.(clock);
  return context;
}

/** A person as the store is to see them. */
export function storeSubject(context: MemoryContext, tenantKey: string, subjectKey: string): StoreSubject {
  const known = context.keyring.subject(tenantKey, subjectKey);
  return { subjectKey: context.storeSubjectKeys ? subjectKey : null, written: known[0], known };
}

/** Every hash a person may be found by, or `null` for everybody. */
export function subjectHashes(
  context: MemoryContext,
  tenantKey: string,
  subjectKey: string | null,
): readonly SubjectHash[] | null {
  return subjectKey === null ? null : context.keyring.subject(tenantKey, subjectKey);
}

function readPort<Port extends object>(value: unknown, path: string, methods: readonly (keyof Port)[]): Port | null {
  if (value === undefined) return null;
  const port = value as Port;
  const usable =
    typeof value === "object" && value !== null && methods.every((method) => typeof port[method] === "function");
  if (!usable) throw new InvalidInputError(path, `must be an object with ${methods.join(", ")}`);
  return port;
}

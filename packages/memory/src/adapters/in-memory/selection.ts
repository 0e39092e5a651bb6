import { ClosureNotEnumerableError, InvalidInputError } from "../../errors.js";
import type { StoreScope, StoreSubject } from "../../ports/memory-store.js";
import type { Person } from "./persons.js";
import type { Filing, StoredMemory } from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

/** Whom a scope means, and which memories. */
export interface Selection {
  readonly persons: ReadonlySet<Person>;
  readonly memories: readonly StoredMemory[];
  /** The hash that the evidence names the person by; `null` where ids alone were given and none is there. */
  readonly filing: Pick<Filing, "hash" | "keyId"> | null;
  readonly unknownIds: { readonly alreadyErased: number; readonly neverSeen: number };
}

/** One selector for preview and erasure, so that what is shown is what goes. */
export function select(state: TenantState, scope: StoreScope): Selection {
  if (scope.scope === "derived") throw new InvalidInputError("scope", "cannot be previewed");
  if (scope.subject) refuseUnknownKeys(state, scope.subject);
  return scope.scope === "subject" ? selectPerson(state, scope.subject) : selectMemories(state, scope);
}

function selectPerson(state: TenantState, subject: StoreSubject): Selection {
  const persons = state.persons.findSubject(subject);
  const rows = new Set([...persons].flatMap((person) => [...person.rows]));
  return {
    persons,
    memories: [...rows].filter((row) => row.rowKind === "memory"),
    filing: subject.written,
    unknownIds: { alreadyErased: 0, neverSeen: 0 },
  };
}

function selectMemories(state: TenantState, scope: Extract<StoreScope, { scope: "memories" }>): Selection {
  const ids = [...new Set(scope.memoryIds)];
  const memories = ids.flatMap((id) => state.memories.get(id) ?? []);
  const missing = ids.filter((id) => state.memories.get(id) === undefined);
  const alreadyErased = missing.filter((id) => state.log.covers("memory", id)).length;
  const person = commonPerson(state, memories, scope.subject);
  return {
    persons: new Set(person ? [person] : []),
    memories,
    filing: scope.subject?.written ?? filingOf(person, memories),
    unknownIds: { alreadyErased, neverSeen: missing.length - alreadyErased },
  };
}

/** The one person whom all the memories concern: ids of several people are several requests. */
function commonPerson(
  state: TenantState,
  memories: readonly StoredMemory[],
  named: StoreSubject | null,
): Person | null {
  if (memories.length === 0) return null;
  const common = [...(memories[0]?.persons ?? [])].filter((person) =>
    memories.every(({ persons }) => persons.has(person)),
  );
  if (named !== null) {
    const theirs = state.persons.findSubject(named);
    const match = common.find((person) => theirs.has(person));
    if (match === undefined) throw new InvalidInputError("memoryIds", "are not all memories of this person");
    return match;
  }
  if (common.length > 1) {
    throw new InvalidInputError("subjectKey", "is required where the memories concern several persons together");
  }
  if (common[0] === undefined) {
    throw new InvalidInputError("memoryIds", "belong to several persons", "Make one request for each person.");
  }
  return common[0];
}

/** The person's hash as the newest of the memories is filed under it. */
function filingOf(person: Person | null, memories: readonly StoredMemory[]): Filing | null {
  const newest = [...memories].sort((a, b) => b.sequence - a.sequence)[0];
  return newest?.filedUnder.find(({ hash }) => person?.hashes.has(hash)) ?? null;
}

/** Without every secret in use, rows of the person could be there and not be found: that must never look like none. */
function refuseUnknownKeys(state: TenantState, subject: StoreSubject): void {
  const held = new Set(subject.known.map(({ keyId }) => keyId).concat(subject.written.keyId));
  for (const keyId of state.keyIdsInUse()) {
    if (held.has(keyId)) continue;
    throw new ClosureNotEnumerableError(
      keyId === null ? "the tenant has rows filed without a pepper" : `the tenant has rows filed under key "${keyId}"`,
      "Configure every pepper that rows were written with, the former ones after the first.",
    );
  }
}

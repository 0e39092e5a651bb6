import { InvalidInputError } from "../../errors.js";
import type { StoreScope, StoreSubject } from "../../ports/memory-store.js";
import type { KnownHash, Person } from "./persons.js";
import type { StoredPlacement } from "./stored-placement.js";
import type { StoredDerived, StoredMemory } from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

/** Whom a scope means, and which rows and copies it names itself. */
export interface Selection {
  readonly persons: ReadonlySet<Person>;
  readonly memories: readonly StoredMemory[];
  readonly derived: readonly StoredDerived[];
  readonly placements: readonly StoredPlacement[];
  /** The hash that the evidence names the person by; `null` where ids alone were given and none is there. */
  readonly filing: KnownHash | null;
  readonly unknownIds: { readonly alreadyErased: number; readonly neverSeen: number };
}

/**
 * One selector for preview, export, restriction and erasure, so that what is shown is what goes. Of memories that
 * several persons have in common `filedFirst` takes the one they are filed under first, where nobody is named.
 */
export function select(
  state: TenantState,
  scope: StoreScope,
  options: { readonly filedFirst?: boolean } = {},
): Selection {
  switch (scope.scope) {
    case "subject":
      state.keys.refuseUnlessNamed(scope.subject);
      return selectPerson(state, scope.subject);
    case "memories":
      if (scope.subject) state.keys.refuseUnlessNamed(scope.subject);
      return selectMemories(state, scope, options.filedFirst === true);
    case "derived":
      return { ...NOBODY, ...findRows(state, { memoryIds: [], ...scope }) };
  }
}

const NOBODY = { persons: new Set<Person>(), filing: null, unknownIds: { alreadyErased: 0, neverSeen: 0 } } as const;

/** What is there of the rows and copies with these ids, whoever they are of. */
export function findRows(
  state: TenantState,
  ids: {
    readonly memoryIds: readonly string[];
    readonly derivedIds: readonly string[];
    readonly placementIds: readonly string[];
  },
): Pick<Selection, "memories" | "derived" | "placements"> {
  return {
    memories: [...new Set(ids.memoryIds)].flatMap((id) => state.memories.get(id) ?? []),
    derived: [...new Set(ids.derivedIds)].flatMap((id) => state.derived.get(id) ?? []),
    placements: [...new Set(ids.placementIds)].flatMap((id) => state.placements.get(id) ?? []),
  };
}

/** The memories filed under any of the persons. */
export function memoriesOf(persons: ReadonlySet<Person>): readonly StoredMemory[] {
  const rows = new Set([...persons].flatMap((person) => [...person.rows]));
  return [...rows].filter((row) => row.rowKind === "memory");
}

function selectPerson(state: TenantState, subject: StoreSubject): Selection {
  const persons = state.persons.findSubject(subject);
  return {
    persons,
    memories: memoriesOf(persons),
    derived: [],
    placements: [],
    filing: subject.written,
    unknownIds: NOBODY.unknownIds,
  };
}

function selectMemories(
  state: TenantState,
  scope: Extract<StoreScope, { scope: "memories" }>,
  filedFirst: boolean,
): Selection {
  const ids = [...new Set(scope.memoryIds)];
  const memories = ids.flatMap((id) => state.memories.get(id) ?? []);
  const missing = ids.filter((id) => state.memories.get(id) === undefined);
  const alreadyErased = missing.filter((id) => state.log.coversAny(id)).length;
  const first = filedFirst && scope.subject === null ? firstPerson(state, memories) : null;
  const persons = first ?? commonPerson(state, memories, scope.subject);
  return {
    persons,
    memories,
    derived: [],
    placements: [],
    filing: scope.subject?.written ?? filingOf(persons, memories),
    unknownIds: { alreadyErased, neverSeen: missing.length - alreadyErased },
  };
}

/** The one person whom all the memories concern: ids of several people are several requests. */
function commonPerson(
  state: TenantState,
  memories: readonly StoredMemory[],
  named: StoreSubject | null,
): ReadonlySet<Person> {
  const theirs = named === null ? new Set<Person>() : state.persons.findSubject(named);
  if (memories.length === 0) return theirs;
  const common = [...(memories[0]?.persons ?? [])].filter((person) =>
    memories.every(({ persons }) => persons.has(person)),
  );
  if (named !== null) {
    if (common.some((person) => theirs.has(person))) return theirs;
    throw new InvalidInputError("memoryIds", "are not all memories of this person");
  }
  if (common.length > 1) {
    throw new InvalidInputError("subjectKey", "is required where the memories concern several persons together");
  }
  if (common[0] === undefined) {
    throw new InvalidInputError("memoryIds", "belong to several persons", "Make one request for each person.");
  }
  return new Set([common[0]]);
}

/** The one person whom all the memories are filed under first; `null` where there is none. */
function firstPerson(state: TenantState, memories: readonly StoredMemory[]): ReadonlySet<Person> | null {
  const persons = state.persons.find(memories.flatMap(({ filedUnder }) => filedUnder[0]?.hash ?? []));
  return persons.size === 1 ? persons : null;
}

/** The hash that the first of the memories is filed under, where it is filed under the person first; else any. */
function filingOf(persons: ReadonlySet<Person>, memories: readonly StoredMemory[]): KnownHash | null {
  const [person] = persons;
  if (person === undefined) return null;
  const theirs = [...memories]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap(({ filedUnder }) => filedUnder[0] ?? [])
    .find(({ hash }) => person.hashes.has(hash));
  if (theirs !== undefined) return { hash: theirs.hash, keyId: theirs.keyId };
  const [hash] = [...person.hashes.keys()].sort();
  return hash === undefined ? null : { hash, keyId: person.hashes.get(hash) ?? null };
}

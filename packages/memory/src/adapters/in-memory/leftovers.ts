import type { SubjectHash } from "../../ports/memory-store.js";
import { anyOf, type Person } from "./persons.js";
import type { StoredMemory } from "./stored-row.js";
import { hasExpired, type TenantState } from "./tenant-state.js";

/** Memories past their expiry that no erasure covers yet, oldest first, grouped by the person they are filed under. */
export function expiredMemories(state: TenantState, limit: number, now: string) {
  const expired: StoredMemory[] = [];
  for (const row of state.memories.all()) {
    if (hasExpired(row, now) && !state.log.covers("memory", row.id)) expired.push(row);
  }
  const held = state.heldPersons(now);
  const free = expired.filter(({ persons }) => !anyOf(persons, held)).sort(byExpiry);
  return {
    groups: groupByPerson(free.slice(0, limit)),
    skippedHeld: expired.length - free.length,
    more: free.length > limit,
  };
}

/** Persons that still have rows, or copies no erasure waits for, in the order in which they were first met. */
export function subjectsWithRows(state: TenantState, limit: number, now: string) {
  const held = state.heldPersons(now);
  const persons = [...state.persons.all()].filter((person) => hasAnythingLeft(state, person));
  const free = persons.filter((person) => !held.has(person));
  return {
    subjects: free.slice(0, limit).map((person) => hashesOf(state, person)),
    skippedHeld: persons.length - free.length,
    more: free.length > limit,
  };
}

function hasAnythingLeft({ log }: TenantState, { rows, placements }: Person): boolean {
  for (const row of rows) if (row.rowKind === "memory" && !log.covers("memory", row.id)) return true;
  for (const { placementId, goneAt } of placements) {
    if (goneAt === null && !log.covers("placement", placementId)) return true;
  }
  return false;
}

function hashesOf({ keys }: TenantState, { hashes }: Person): readonly SubjectHash[] {
  const known = [...hashes].map(([hash, keyId]) => ({ hash, keyId, check: keys.checkOf(keyId) }));
  return known.sort((a, b) => (a.hash < b.hash ? -1 : 1));
}

function groupByPerson(memories: readonly StoredMemory[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const { id, filedUnder } of memories) {
    const hash = filedUnder[0]?.hash ?? "";
    const group = groups.get(hash);
    if (group) group.push(id);
    else groups.set(hash, [id]);
  }
  return [...groups.values()].map((ids) => ids.sort()).sort((a, b) => ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1));
}

function byExpiry(a: StoredMemory, b: StoredMemory): number {
  const [first, second] = [a.expiresAt ?? "", b.expiresAt ?? ""];
  if (first !== second) return first < second ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

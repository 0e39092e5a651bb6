import type { StoreSubject } from "../../ports/memory-store.js";
import type { Erasure } from "./erasure.js";
import type { StoredPlacement } from "./stored-placement.js";
import type { StoredRow } from "./stored-row.js";

/** A hash of a person, and the key it was made under. */
export interface KnownHash {
  readonly hash: string;
  readonly keyId: string | null;
}

/**
 * One person of a tenant: every hash they are known by, and every row and copy filed under any of these. It holds no
 * key: what it keeps after an erasure are hashes and the instant of the latest one.
 */
export class Person {
  readonly hashes = new Map<string, string | null>();
  readonly rows = new Set<StoredRow>();
  readonly placements = new Set<StoredPlacement>();
  /** Those opened for the person as a whole. */
  readonly erasures: Erasure[] = [];
  /** The ids of those in force that cover the person as a whole. */
  readonly restrictions = new Set<string>();
  /** When the person as a whole was last forgotten; what was captured until then is late. */
  forgottenAt: string | null = null;

  markForgotten(at: string): void {
    if (this.forgottenAt === null || at > this.forgottenAt) this.forgottenAt = at;
  }

  /** Whether something captured at that instant is covered by an erasure of the person. */
  forgottenSince(capturedAt: string): boolean {
    return this.forgottenAt !== null && capturedAt <= this.forgottenAt;
  }
}

/** Finds persons by hash, and joins the hashes that one person has under several keys. */
export class Persons {
  private readonly byHash = new Map<string, Person>();

  /** The persons behind these hashes; those never seen are left out. */
  find(hashes: Iterable<string>): Set<Person> {
    const found = new Set<Person>();
    for (const hash of hashes) {
      const person = this.byHash.get(hash);
      if (person) found.add(person);
    }
    return found;
  }

  findSubject(subject: StoreSubject): Set<Person> {
    return this.find(hashesOf(subject).map(({ hash }) => hash));
  }

  /** Everybody, in the order in which they were first met. */
  all(): Iterable<Person> {
    return new Set(this.byHash.values());
  }

  hashes(): Iterable<string> {
    return this.byHash.keys();
  }

  /** The one person behind all hashes of the subject; from now on they are one. */
  enrol(subject: StoreSubject): Person {
    return this.enrolHashes(hashesOf(subject));
  }

  enrolHashes(hashes: readonly KnownHash[]): Person {
    const [person = new Person(), ...same] = this.find(hashes.map(({ hash }) => hash));
    for (const other of same) this.absorb(person, other);
    for (const { hash, keyId } of hashes) {
      person.hashes.set(hash, keyId);
      this.byHash.set(hash, person);
    }
    return person;
  }

  private absorb(person: Person, other: Person): void {
    for (const [hash, keyId] of other.hashes) {
      person.hashes.set(hash, keyId);
      this.byHash.set(hash, person);
    }
    for (const row of other.rows) {
      row.persons.delete(other);
      row.persons.add(person);
      person.rows.add(row);
    }
    for (const placement of other.placements) {
      placement.persons.delete(other);
      placement.persons.add(person);
      person.placements.add(placement);
    }
    for (const restrictionId of other.restrictions) person.restrictions.add(restrictionId);
    person.erasures.push(...other.erasures);
    if (other.forgottenAt !== null) person.markForgotten(other.forgottenAt);
  }
}

/** Whether any of the persons is one of the others. */
export function anyOf(persons: Iterable<Person>, others: ReadonlySet<Person>): boolean {
  for (const person of persons) if (others.has(person)) return true;
  return false;
}

/** How many of the persons are none of the others. */
export function countOthers(persons: Iterable<Person>, others: ReadonlySet<Person>): number {
  let count = 0;
  for (const person of persons) if (!others.has(person)) count += 1;
  return count;
}

function hashesOf(subject: StoreSubject): readonly KnownHash[] {
  return [subject.written, ...subject.known];
}

import type { StoreSubject, SubjectHash } from "../../ports/memory-store.js";
import type { Erasure } from "./erasure-log.js";
import type { StoredRow } from "./stored-row.js";

/**
 * One person of a tenant: every hash they are known by, and every row filed under any of these. It holds no key:
 * what it keeps after an erasure are hashes and the instant of the latest one.
 */
export class Person {
  readonly hashes = new Map<string, string | null>();
  readonly rows = new Set<StoredRow>();
  /** Those opened for the person as a whole. */
  readonly erasures: Erasure[] = [];
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

  /** The one person behind all hashes of the subject; from now on they are one. */
  enrol(subject: StoreSubject): Person {
    const [person = new Person(), ...same] = this.findSubject(subject);
    for (const other of same) this.absorb(person, other);
    for (const { hash, keyId } of hashesOf(subject)) {
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
    person.erasures.push(...other.erasures);
    if (other.forgottenAt !== null) person.markForgotten(other.forgottenAt);
  }
}

function hashesOf(subject: StoreSubject): readonly SubjectHash[] {
  return [subject.written, ...subject.known];
}

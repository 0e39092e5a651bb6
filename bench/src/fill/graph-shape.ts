/** A person of a store that is put in place. */
export interface Person {
  readonly subjectKey: string;
  readonly memories: number;
}

/** Of the memories of a person, how many derived rows each of the six levels has. */
export const SHARES = [0.4, 0.25, 0.15, 0.1, 0.06, 0.04] as const;

/** Sources come from so many neighbours in the level below. */
export const WINDOW = 64;

/** 1 to 50 sources, 6.5 on average: `1 + floor(MOST * random ** STEEP)`. */
export const MOST = 50;
export const STEEP = 8;

export function derivedOf(memories: number, level: number): number {
  return Math.ceil(memories * SHARES[level - 1]!);
}

/** Memories and derived rows of these persons together. */
export function rowsOf(persons: readonly Person[]): number {
  return persons.reduce(
    (sum, { memories }) => sum + memories + SHARES.reduce((all, _, n) => all + derivedOf(memories, n + 1), 0),
    0,
  );
}

/** Persons of `each` memories until the store has about `rows` rows, `persons` included. */
export function filledTo(rows: number, persons: readonly Person[], each: number): readonly Person[] {
  const left = rows - rowsOf(persons);
  const one = rowsOf([{ subjectKey: "", memories: each }]);
  const more = Math.max(0, Math.round(left / one));
  return [
    ...persons,
    ...Array.from({ length: more }, (_, n) => ({ subjectKey: `filler:${String(n)}`, memories: each })),
  ];
}

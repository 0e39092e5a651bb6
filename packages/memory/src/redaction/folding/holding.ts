/** In `ROLES`: stands for itself and says nothing. */
const BARE = 0;
/** In `ROLES`: stands for itself, and its line may hold something. */
export const HOLDING = 1;
/** In `ROLES`: may begin an escape or ends a line. */
export const SPECIAL = 2;

/** For each unit of ASCII what it means to `fold`. */
export const ROLES: Uint8Array = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if ("%&\\\n".includes(character)) return SPECIAL;
  return nextHolding(character, 0) === 0 ? HOLDING : BARE;
});

/**
 * Where the next unit from `from` on is without which no line holds an identifier, a mask or a part of either: a digit,
 * an `@`, a unit beyond ASCII, or what may be an escape of these; -1 if there is none.
 */
export function nextHolding(text: string, from: number): number {
  // A pattern for each call: its position is state.
  const pattern = /[0-9@&%[\\\u0080-\uffff]/g;
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : -1;
}

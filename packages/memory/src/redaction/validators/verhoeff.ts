/**
 * The Verhoeff check (J. Verhoeff, "Error Detecting Decimal Codes", 1969): digits are multiplied in the dihedral
 * group of order ten after a permutation that depends on the place. Built from the group instead of a table.
 */
const PERMUTATION = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4] as const;
const PERIOD = 8;

/** `PLACES[p][d]`: what digit `d` counts for in place `p` from the right, modulo eight. */
const PLACES: readonly Uint8Array[] = buildPlaces();

/** Whether the last digit of `digits` (ASCII decimals only) is the Verhoeff check digit of those before it. */
export function passesVerhoeff(digits: string): boolean {
  let check = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 0x30;
    check = multiply(check, PLACES[place % PERIOD]?.[digit] ?? 0);
  }
  return check === 0;
}

/** Elements 0 to 4 are the rotations of a pentagon, 5 to 9 its reflections. */
function multiply(left: number, right: number): number {
  if (left < 5) return right < 5 ? (left + right) % 5 : 5 + ((left + right) % 5);
  return right < 5 ? 5 + ((left - right) % 5) : (left - right + 5) % 5;
}

function buildPlaces(): Uint8Array[] {
  const places = [Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])];
  while (places.length < PERIOD) {
    const previous = places[places.length - 1];
    places.push(Uint8Array.from(PERMUTATION, (digit) => previous?.[digit] ?? 0));
  }
  return places;
}

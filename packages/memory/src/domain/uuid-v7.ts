const RANDOM_BYTES = 10;
const POOL_IDS = 256;
const MAX_COUNTER = 0xfff;

/**
 * A source of time-ordered UUIDs (RFC 9562, version 7). Each id sorts after the one before it, also within one
 * millisecond and when the clock goes back: a 12-bit counter starts at a random value below half its range, and
 * once it is used up the time runs a millisecond ahead.
 *
 * @param now milliseconds since 1970
 * @param fillRandom fills the bytes from a cryptographic source; the ids must not be guessable
 */
export function createUuidV7Source(now: () => number, fillRandom: (bytes: Uint8Array) => void): () => string {
  const pool = new Uint8Array(RANDOM_BYTES * POOL_IDS);
  let used = pool.length;
  let time = -1;
  let counter = 0;

  return () => {
    if (used === pool.length) {
      fillRandom(pool);
      used = 0;
    }
    const random = pool.subarray(used, used + RANDOM_BYTES);
    used += RANDOM_BYTES;

    const present = now();
    if (present > time) {
      time = present;
      counter = ((random[0] ?? 0) << 3) | ((random[1] ?? 0) & 0x07);
    } else if (counter < MAX_COUNTER) {
      counter += 1;
    } else {
      time += 1;
      counter = 0;
    }
    return format(time, counter, random);
  };
}

function format(time: number, counter: number, random: Uint8Array): string {
  const stamp = time.toString(16).padStart(12, "0");
  const version = (0x7000 | counter).toString(16);
  const variant = 0x80 | ((random[2] ?? 0) & 0x3f);
  let tail = hexByte(variant) + hexByte(random[3] ?? 0) + "-";
  for (let i = 4; i < RANDOM_BYTES; i++) tail += hexByte(random[i] ?? 0);
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-${version}-${tail}`;
}

function hexByte(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

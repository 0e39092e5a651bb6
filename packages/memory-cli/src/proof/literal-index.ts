/** A string that must not be found. */
export interface Needle {
  readonly value: string;
  /** Only where it stands alone: `customer:1` is not found in `customer:12`. */
  readonly whole: boolean;
}

interface Form {
  readonly needle: number;
  readonly text: string;
  readonly whole: boolean;
}

/** Forms at least this long are found by a rolling hash over windows of this length, all in one pass. */
const WINDOW = 12;
const BASE = 0x01000193;
/** `BASE` to the power `WINDOW - 1`: what the unit that leaves the window was multiplied by. */
const LEAVING = powerOf(BASE, WINDOW - 1);

/**
 * Finds many strings in much text in one pass, whatever their number (Rabin and Karp).
 *
 * Upper and lower case and Unicode composition do not matter. A string is also found as it looks within JSON or an
 * array (quotes and backslashes escaped) and as the hexadecimal bytes of a binary column.
 */
export class LiteralIndex {
  readonly #short: Form[] = [];
  readonly #long = new Map<number, Form[]>();
  /** One bit for the upper half of each hash: most windows are dismissed here. */
  readonly #mayMatch = new Uint8Array(65_536);

  constructor(needles: readonly Needle[]) {
    needles.forEach(({ value, whole }, needle) => {
      for (const text of formsOf(value)) {
        const form = { needle, text, whole };
        if (text.length < WINDOW) this.#short.push(form);
        else this.#addLong(form);
      }
    });
  }

  /** Calls `onFound` with the number of each string that the text holds; perhaps more than once. */
  search(text: string, onFound: (needle: number) => void): void {
    const haystack = fold(text);
    for (const form of this.#short) {
      for (let at = haystack.indexOf(form.text); at !== -1; at = haystack.indexOf(form.text, at + 1)) {
        if (!accepts(form, haystack, at)) continue;
        onFound(form.needle);
        break;
      }
    }
    if (this.#long.size > 0) this.#searchLong(haystack, onFound);
  }

  #addLong(form: Form): void {
    const hash = hashOf(form.text);
    this.#mayMatch[hash >>> 16] = 1;
    const bucket = this.#long.get(hash);
    if (bucket === undefined) this.#long.set(hash, [form]);
    else bucket.push(form);
  }

  #searchLong(haystack: string, onFound: (needle: number) => void): void {
    if (haystack.length < WINDOW) return;
    let hash = hashOf(haystack);
    for (let start = 0; ; start++) {
      if (this.#mayMatch[hash >>> 16] === 1) {
        for (const form of this.#long.get(hash) ?? []) {
          if (haystack.startsWith(form.text, start) && accepts(form, haystack, start)) onFound(form.needle);
        }
      }
      const next = start + WINDOW;
      if (next >= haystack.length) return;
      hash = Math.imul(hash - Math.imul(haystack.charCodeAt(start), LEAVING), BASE) + haystack.charCodeAt(next);
      hash |= 0;
    }
  }
}

/** Texts are compared without regard to case and composition. */
export function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

function formsOf(value: string): ReadonlySet<string> {
  const folded = fold(value);
  const hex = Buffer.from(value).toString("hex");
  return new Set([folded, JSON.stringify(folded).slice(1, -1), ...(hex.length >= WINDOW ? [hex] : [])]);
}

function accepts(form: Form, haystack: string, at: number): boolean {
  if (!form.whole) return true;
  return !endsInWord(haystack.slice(Math.max(0, at - 2), at)) && !startsAsWord(haystack.slice(at + form.text.length));
}

function endsInWord(before: string): boolean {
  return /[\p{L}\p{M}\p{N}]$/u.test(before);
}

function startsAsWord(after: string): boolean {
  return /^[\p{L}\p{M}\p{N}]/u.test(after.slice(0, 2));
}

function hashOf(text: string): number {
  let hash = 0;
  for (let i = 0; i < WINDOW; i++) hash = (Math.imul(hash, BASE) + text.charCodeAt(i)) | 0;
  return hash;
}

function powerOf(base: number, exponent: number): number {
  let result = 1;
  for (let i = 0; i < exponent; i++) result = Math.imul(result, base);
  return result;
}

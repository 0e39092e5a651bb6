/** A store did not keep the contract. The message says which promise, and how it was broken. */
export class ConformanceFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConformanceFailure";
  }
}

/** Fails unless both are the same plain data, in whatever order their fields stand. A missing field is undefined. */
export function same(what: string, actual: unknown, expected: unknown): void {
  const [found, wanted] = [canonical(actual), canonical(expected)];
  if (found !== wanted) throw new ConformanceFailure(`${what}: expected ${wanted}, found ${found}`);
}

/** Fails unless the condition holds. */
export function holds(what: string, condition: boolean): void {
  if (!condition) throw new ConformanceFailure(what);
}

/** The value, or a failure where there is none. */
export function present<Value>(what: string, value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new ConformanceFailure(`${what}: there is none`);
  return value;
}

/** Fails unless the call is refused with this code; answers the error. */
export async function refused(what: string, code: string, call: () => Promise<unknown>): Promise<Error> {
  try {
    await call();
  } catch (error) {
    const found = error instanceof Error && "code" in error ? error.code : null;
    if (found === code) return error as Error;
    throw new ConformanceFailure(`${what}: expected ${code}, found ${String(found ?? error)}`);
  }
  throw new ConformanceFailure(`${what}: expected ${code}, and it was accepted`);
}

/** Plain data as text, whatever the order of its fields. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

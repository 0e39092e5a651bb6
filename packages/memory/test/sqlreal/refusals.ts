/** What a database says when it refuses. */
export interface Refusal {
  /** The SQLSTATE. */
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

/** The refusal of a statement; fails if the statement was carried out. */
export async function refusalOf(attempt: Promise<unknown>): Promise<Refusal> {
  let answer: unknown;
  try {
    answer = await attempt;
  } catch (error) {
    const { code, message, hint } = error as { code?: unknown; message?: unknown; hint?: unknown };
    return { code: String(code), message: String(message), hint: typeof hint === "string" ? hint : undefined };
  }
  throw new Error(`expected a refusal, but the database answered ${JSON.stringify(answer)}`);
}

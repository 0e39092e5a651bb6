/** What doctor found out about one thing. */
export interface Finding {
  /** Stable, for scripts. */
  readonly check: string;
  /** `skipped`: it could not be looked at here, and is not called ok. */
  readonly level: "ok" | "warning" | "error" | "skipped";
  readonly detail: string;
  /** What to do; empty where there is nothing to do. */
  readonly remedy: string;
}

export function ok(check: string, detail: string): Finding {
  return { check, level: "ok", detail, remedy: "" };
}

export function warning(check: string, detail: string, remedy: string): Finding {
  return { check, level: "warning", detail, remedy };
}

export function failure(check: string, detail: string, remedy: string): Finding {
  return { check, level: "error", detail, remedy };
}

export function skipped(check: string, detail: string, remedy: string): Finding {
  return { check, level: "skipped", detail, remedy };
}

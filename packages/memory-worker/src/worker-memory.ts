import type { Memory } from "@demystify/memory";

/** What the worker uses of a `Memory`. */
export interface WorkerMemory {
  readonly erasures: Pick<
    Memory["erasures"],
    "list" | "status" | "outstanding" | "attempt" | "confirm" | "escalate" | "resume"
  >;
  readonly placements: Pick<Memory["placements"], "written" | "abandoned" | "status">;
  readonly recordPlacement: Memory["recordPlacement"];
}

/** The code of a `MemoryError`, whichever copy of the package threw it. */
export function codeOf(thrown: unknown): string {
  if (typeof thrown === "object" && thrown !== null && "code" in thrown && typeof thrown.code === "string") {
    return /^[A-Z][A-Z0-9_]{0,63}$/.test(thrown.code) ? thrown.code : "ERR_UNKNOWN";
  }
  return "ERR_UNKNOWN";
}

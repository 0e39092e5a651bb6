import type { WorkerEvent } from "@demystify/memory-worker";

/** An event in one line: its type and its codes, ids and counts. Events hold nothing else. */
export function describeEvent(event: WorkerEvent): string {
  const { type, ...rest } = event;
  const facts = Object.entries(rest as Record<string, string | number | null>)
    .filter(([name, value]) => name !== "tenantKey" && value !== null)
    .map(([name, value]) => `${name}=${String(value)}`);
  return [type, ...facts].join(" ");
}

import type { ErasureRef } from "@demystify/memory";
import { runOnce, type RunReport } from "@demystify/memory-worker";
import type { Connected } from "../connection/memory-options.js";
import type { Invocation } from "../commands/command.js";
import { readWorkerConfig } from "./config.js";
import { describeEvent } from "./describe-event.js";

/** Tries every copy of one erasure now, those included that were given up. */
export async function runOnceWithConfig(
  path: string,
  { console, interrupt, progress }: Invocation,
  { memory, tenantKey }: Connected,
  only: ErasureRef,
): Promise<RunReport> {
  const { sinks, tuning, close } = await readWorkerConfig(path, console.env);
  try {
    const report = await runOnce(
      {
        ...tuning,
        memory,
        sinks,
        tenantKeys: [tenantKey],
        onEvent: (event) => progress.note(describeEvent(event)),
      },
      { only, retryGivenUp: true, signal: interrupt.signal },
    );
    if (report.waiting > 0) {
      progress.note(
        `${report.waiting} copies were left: a worker is at them now, a writer may still write, or a second look is due. Run the command again.`,
      );
    }
    return report;
  } finally {
    await close();
  }
}

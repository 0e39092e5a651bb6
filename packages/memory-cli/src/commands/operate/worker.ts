import type { RunReport, WorkerEvent, WorkerOptions } from "@demystify/memory-worker";
import { EXIT, UsageError, type ExitCode } from "../../cli-error.js";
import { declareMemory, namedTenant, withStore, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { amount } from "../../render/words.js";
import { describeEvent } from "../../worker/describe-event.js";
import { defineCommand, type Invocation } from "../command.js";

interface WorkerCommandOptions extends MemoryCommandOptions {
  readonly config: string;
  readonly once?: true;
  readonly json?: true;
}

/** `demystify-memory worker`: removes copies from other systems, reads back, and confirms. */
export const worker = defineCommand<WorkerCommandOptions>({
  name: "worker",
  group: "operate",
  summary: "finish erasures in other systems, until it is stopped; exits 0 when it is",
  declare: (command) =>
    void declareMemory(command)
      .requiredOption("--config <file>", "tenants and sinks, as JSON or as an ES module")
      .option("--once", "one round; exit 4 if a copy is left")
      .option("--json", "print what happens as lines of JSON"),
  run: async (invocation) => {
    const { options, console, interrupt, out, progress } = invocation;
    const { runOnce, Worker } = await import("@demystify/memory-worker");
    const { readWorkerConfig } = await import("../../worker/config.js");
    const { tenants, sinks, tuning, close } = await readWorkerConfig(options.config, console.env);
    try {
      const tenantKeys = tenantsOf(namedTenant(invocation), tenants, options.config);
      const one = tenantKeys.length === 1 ? (tenantKeys[0] ?? null) : null;
      return await withStore(invocation, one, async ({ memory }) => {
        const onEvent = (event: WorkerEvent) => {
          if (out.json) out.update(EXIT.done, { event }, () => undefined);
          else progress.note(`${new Date().toISOString()} ${describeEvent(event)}`);
        };
        const settings: WorkerOptions = { ...tuning, memory, sinks, tenantKeys, onEvent };
        interrupt.help =
          "What was begun is leased for a while; the next worker goes on from there once the lease is over.";
        if (options.once === true) return tellReport(invocation, await runOnce(settings, { signal: interrupt.signal }));
        progress.note(
          `Working for ${amount(tenantKeys.length, "tenant")} in ${amount(sinks.length, "sink")}. Ctrl-C stops.`,
        );
        await new Worker(settings).start({ signal: interrupt.signal });
        progress.note("Stopped; leases were given back.");
        return EXIT.done;
      });
    } finally {
      await close();
    }
  },
});

function tenantsOf(named: string | null, listed: readonly string[], path: string): readonly string[] {
  if (named !== null) return [named];
  if (listed.length > 0) return listed;
  throw new UsageError("no tenant was named", `List "tenants" in ${path}, or give --tenant.`);
}

function tellReport({ out }: Invocation, report: RunReport): ExitCode {
  const { left, waiting, failed, errors } = report;
  const open = left.manual + left.noAdapter + left.givenUp + waiting + failed;
  const exit = errors > 0 ? EXIT.failed : open > 0 ? EXIT.inProgress : EXIT.done;
  out.update(exit, { report }, (sheet) => {
    sheet.line(
      `${amount(report.erasures, "open erasure")} looked at: ${amount(report.confirmed, "copy", "copies")} confirmed gone, ${report.completed} erasures completed, ${report.escalated} escalated.`,
    );
    if (open > 0) {
      sheet.line(
        `Left: ${failed} failed, ${waiting} to wait for, ${left.manual} for a person, ${left.noAdapter} without an adapter here, ${left.givenUp} given up.`,
      );
    }
    if (errors > 0) sheet.line(`${amount(errors, "call")} to the database failed.`);
  });
  return exit;
}

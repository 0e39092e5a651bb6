import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { exitOfReceipt, tellReceipt } from "../../render/receipt-sheet.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";
import { declareErasureId, erasureRef } from "./erasure-id.js";

interface RetryOptions extends MemoryCommandOptions {
  readonly config?: string;
}

/** `demystify-memory retry`: goes on with an erasure from wherever it stopped. */
export const retry = defineCommand<RetryOptions>({
  name: "retry",
  group: "follow",
  summary: "go on with an erasure from wherever it stopped; with --config also in its sinks",
  declare: (command) =>
    void declareErasureId(declareJson(declareMemory(command))).option(
      "--config <file>",
      "a worker's configuration: try the copies of this erasure now, those given up included",
    ),
  run: (invocation) =>
    withMemory(invocation, async (connected) => {
      const { options, interrupt, out } = invocation;
      const ref = erasureRef(connected.tenantKey, invocation);
      interrupt.help = `Erasure ${ref.tombstoneId} is as far as it came. Run the same command again to go on.`;
      let receipt = await connected.memory.erasures.resume(ref);
      await interrupt.check();
      if (options.config !== undefined && receipt.state !== "complete") {
        const { runOnceWithConfig } = await import("../../worker/run-once.js");
        await runOnceWithConfig(options.config, invocation, connected, ref);
        receipt = await connected.memory.erasures.status(ref);
      }
      return out.answer(exitOfReceipt(receipt), { receipt }, (sheet) => tellReceipt(sheet, receipt));
    }),
});

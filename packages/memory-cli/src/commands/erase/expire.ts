import type { ErasureReceipt } from "@demystify/memory";
import { EXIT } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { amount } from "../../render/words.js";
import { readCount } from "../../text/count.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";

interface ExpireOptions extends MemoryCommandOptions {
  readonly batch: string;
}

/** `demystify-memory expire`: removes what is past its `expiresAt`, batch by batch until nothing is left. */
export const expire = defineCommand<ExpireOptions>({
  name: "expire",
  group: "erase",
  summary: "erase memories past their expiry, with everything derived from them",
  declare: (command) =>
    void declareJson(declareMemory(command)).option("--batch <rows>", "memories a batch, 1 to 1,000", "500"),
  run: async (invocation) => {
    const { out, interrupt } = invocation;
    const limit = readCount(invocation.options.batch, "--batch", { min: 1, max: 1_000 });
    interrupt.help = "Whole batches were erased; run the same command again to go on.";
    return withMemory(invocation, async ({ memory, tenantKey }) => {
      const receipts: ErasureReceipt[] = [];
      let skippedHeld = 0;
      for (let more = true; more;) {
        await interrupt.check();
        const result = await memory.erasures.expire({ tenantKey, limit });
        receipts.push(...result.receipts);
        skippedHeld = result.skippedHeld;
        // A batch that erased nothing would be the same the next time.
        more = result.more && result.receipts.length > 0;
      }
      const open = receipts.filter(({ state }) => state !== "complete").map(({ tombstoneId }) => tombstoneId);
      const memories = receipts.reduce((sum, { counts }) => sum + counts.memories, 0);
      const fields = { erasures: receipts.length, memories, skippedHeld, open };
      return out.answer(open.length > 0 ? EXIT.inProgress : EXIT.done, fields, (sheet) => {
        sheet.line(
          `${amount(memories, "memory", "memories")} past the expiry erased, in ${amount(receipts.length, "erasure")}.`,
        );
        if (skippedHeld > 0) sheet.line(`${amount(skippedHeld, "memory", "memories")} left: a legal hold covers them.`);
        if (open.length > 0) {
          sheet.line(`${amount(open.length, "erasure")} in progress: demystify-memory erasures --open`);
        }
      });
    });
  },
});

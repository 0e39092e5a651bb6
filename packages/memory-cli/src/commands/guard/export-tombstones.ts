import { EXIT } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { amount } from "../../render/words.js";
import { defineCommand } from "../command.js";

/** `demystify-memory export-tombstones`: the evidence, content-free, to keep apart from the backups. */
export const exportTombstones = defineCommand<MemoryCommandOptions>({
  name: "export-tombstones",
  group: "guard",
  summary: "write every tombstone as JSON Lines, to keep apart from the backups",
  declare: (command) => void declareMemory(command),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const { out, interrupt, progress } = invocation;
      interrupt.help = "What was written is not the whole list. Run the same command again for that.";
      let lines = 0;
      for await (const line of memory.erasures.exportTombstones({ tenantKey })) {
        await out.writeLine(line);
        lines += 1;
        await interrupt.check();
      }
      progress.note(`${amount(lines, "tombstone")} written.`);
      return EXIT.done;
    }),
});

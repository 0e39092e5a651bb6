import { EXIT } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { linesOfFile } from "../../input/lines-of-file.js";
import { amount } from "../../render/words.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";

/** `demystify-memory replay`: erases again, after a restore, what exported tombstones say was erased. */
export const replay = defineCommand<MemoryCommandOptions>({
  name: "replay",
  group: "guard",
  summary: "after a restore, erase again what exported tombstones say was erased",
  declare: (command) => void declareJson(declareMemory(command)).argument("<file>", "as export-tombstones wrote it"),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const { args, interrupt, out } = invocation;
      interrupt.help = "Each tombstone is replayed by itself. Run the same command again to go on.";
      const tombstones = stoppable(linesOfFile(args[0] ?? "", "replay"), () => interrupt.check());
      const { replayed, alreadyKnown, skippedHeld, receipts } = await memory.erasures.replay({ tenantKey, tombstones });
      const open = receipts.filter(({ state }) => state !== "complete").map(({ tombstoneId }) => tombstoneId);
      const exit = open.length > 0 || skippedHeld > 0 ? EXIT.inProgress : EXIT.done;
      return out.answer(exit, { replayed, alreadyKnown, skippedHeld, open }, (sheet) => {
        sheet.line(`${amount(replayed, "tombstone")} replayed, ${alreadyKnown} known already.`);
        if (skippedHeld > 0)
          sheet.line(`${skippedHeld} not replayed: a legal hold covers them. Replay after its release.`);
        if (open.length > 0) {
          sheet.line(`${amount(open.length, "erasure")} in progress: demystify-memory erasures --open`);
        }
        sheet.line("Next: demystify-memory sweep --against the same file, until it is clean.");
      });
    }),
});

async function* stoppable(lines: AsyncIterable<string>, check: () => Promise<void>): AsyncGenerator<string> {
  for await (const line of lines) {
    await check();
    yield line;
  }
}

import { EXIT } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";

/** `demystify-memory release`: ends a legal hold. */
export const release = defineCommand<MemoryCommandOptions>({
  name: "release",
  group: "erase",
  summary: "end a legal hold",
  declare: (command) => void declareJson(declareMemory(command)).argument("<hold-id>", "as hold printed it"),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const holdId = invocation.args[0] ?? "";
      await memory.holds.release({ tenantKey, holdId });
      return invocation.out.answer(EXIT.done, { holdId }, (sheet) => {
        sheet.line("Released.");
        sheet.line("Erasures that waited for it: demystify-memory erasures --state escalated, then retry each.");
      });
    }),
});

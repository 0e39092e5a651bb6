import { EXIT } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";

/** `demystify-memory lift`: ends a restriction. */
export const lift = defineCommand<MemoryCommandOptions>({
  name: "lift",
  group: "erase",
  summary: "end a restriction",
  declare: (command) => void declareJson(declareMemory(command)).argument("<restriction-id>", "as restrict printed it"),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const restrictionId = invocation.args[0] ?? "";
      await memory.restrictions.lift({ tenantKey, restrictionId });
      return invocation.out.answer(EXIT.done, { restrictionId }, (sheet) =>
        sheet.line("Lifted: it can be read again."),
      );
    }),
});

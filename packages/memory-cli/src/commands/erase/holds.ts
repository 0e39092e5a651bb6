import { EXIT } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";

/** `demystify-memory holds`: every hold of the tenant, released ones included. */
export const holds = defineCommand<MemoryCommandOptions>({
  name: "holds",
  group: "erase",
  summary: "list the legal holds of the tenant",
  declare: (command) => void declareJson(declareMemory(command)),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const rows = await memory.holds.list({ tenantKey });
      return invocation.out.answer(EXIT.done, { holds: rows }, (sheet) => {
        if (rows.length === 0) {
          sheet.line("No hold was ever placed in this tenant.");
          return;
        }
        sheet.table(
          ["hold", "person", "code", "until", "released", "refused"],
          rows.map(({ holdId, subjectHash, code, until, releasedAt, refusals }) => [
            holdId,
            `${subjectHash.slice(0, 16)}…`,
            code,
            until ?? "",
            releasedAt ?? "",
            refusals,
          ]),
        );
      });
    }),
});

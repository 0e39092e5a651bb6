import { Option } from "commander";
import type { RestrictionBasis } from "@demystify/memory";
import { EXIT } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { declareScope, readScope, type ScopeOptions } from "../../connection/scope.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";

interface RestrictOptions extends MemoryCommandOptions, ScopeOptions {
  readonly basis: RestrictionBasis;
}

/** `demystify-memory restrict`: hides content from every read and keeps it (GDPR Art. 18). */
export const restrict = defineCommand<RestrictOptions>({
  name: "restrict",
  group: "erase",
  summary: "keep what is filed under a person, and hide it from every read",
  declare: (command) =>
    void declareJson(declareScope(declareMemory(command))).addOption(
      new Option("--basis <code>", "why")
        .choices(["gdpr_18_1_a", "gdpr_18_1_b", "gdpr_18_1_c", "gdpr_18_1_d", "retention_floor", "operator"])
        .makeOptionMandatory(),
    ),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const line = "restrict --tenant KEY --basis CODE";
      const scope = await readScope(invocation, tenantKey, line, "Whom to restrict? Type their key.");
      const { restrictionId } = await memory.restrictions.restrict({ ...scope, basis: invocation.options.basis });
      return invocation.out.answer(EXIT.done, { restrictionId }, (sheet) => {
        sheet.line(`Restricted: ${restrictionId}`);
        sheet.line(`The rows still exist. To show them again: demystify-memory lift ${restrictionId}`);
      });
    }),
});

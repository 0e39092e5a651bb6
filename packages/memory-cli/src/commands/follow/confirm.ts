import { Option } from "commander";
import type { ProofLevel } from "@demystify/memory";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { exitOfReceipt, tellReceipt } from "../../render/receipt-sheet.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";
import { declareErasureId, erasureRef } from "./erasure-id.js";

interface ConfirmOptions extends MemoryCommandOptions {
  readonly copy: string;
  readonly proof: ProofLevel;
  readonly by: string;
}

/** `demystify-memory confirm`: records that a copy was looked for and is gone. */
export const confirm = defineCommand<ConfirmOptions>({
  name: "confirm",
  group: "follow",
  summary: "record that a copy is gone, after looking for it yourself",
  declare: (command) =>
    void declareErasureId(declareJson(declareMemory(command)))
      .requiredOption("--copy <id>", "the copy, as erasure lists it")
      .addOption(
        new Option("--proof <level>", "what you saw: absent (by id), unfindable (by search too), purged (versions too)")
          .choices(["absent", "unfindable", "purged"])
          .makeOptionMandatory(),
      )
      .option("--by <code>", "who looked: a code, never a name", "operator"),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const { copy: placementId, proof, by } = invocation.options;
      const receipt = await memory.erasures.confirm({ ...erasureRef(tenantKey, invocation), placementId, proof, by });
      return invocation.out.answer(exitOfReceipt(receipt), { receipt }, (sheet) => tellReceipt(sheet, receipt));
    }),
});

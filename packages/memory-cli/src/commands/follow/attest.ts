import { Option } from "commander";
import { UsageError } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { exitOfReceipt, tellReceipt } from "../../render/receipt-sheet.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";
import { declareErasureId, erasureRef } from "./erasure-id.js";

interface AttestOptions extends MemoryCommandOptions {
  readonly copy?: string;
  readonly closure?: true;
  readonly by: string;
  readonly reference: string;
}

/** `demystify-memory attest`: a person vouches for what nobody can look up. */
export const attest = defineCommand<AttestOptions>({
  name: "attest",
  group: "follow",
  summary: "vouch for a copy, or for a closure, that nobody can look up; the receipt then says attested",
  declare: (command) =>
    void declareErasureId(declareJson(declareMemory(command)))
      .addOption(new Option("--copy <id>", "the copy, as erasure lists it").conflicts("closure"))
      .option("--closure", "that nothing else was made of the erased rows")
      .requiredOption("--by <code>", "who vouches: a code, never a name")
      .requiredOption("--reference <id>", "where that is written down, such as CASE-1042"),
  run: async (invocation) => {
    const { copy: placementId, by, reference } = invocation.options;
    if (placementId === undefined && invocation.options.closure !== true) {
      throw new UsageError("nothing was named to vouch for", "Give --copy ID, or --closure.");
    }
    return withMemory(invocation, async ({ memory, tenantKey }) => {
      const what = placementId === undefined ? { closure: true as const } : { placementId };
      const receipt = await memory.erasures.attest({ ...erasureRef(tenantKey, invocation), ...what, by, reference });
      return invocation.out.answer(exitOfReceipt(receipt), { receipt }, (sheet) => tellReceipt(sheet, receipt));
    });
  },
});

import { Option } from "commander";
import type { EscalationCode } from "@demystify/memory";
import { EXIT } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { tellReceipt } from "../../render/receipt-sheet.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";
import { declareErasureId, erasureRef } from "./erasure-id.js";

interface EscalateOptions extends MemoryCommandOptions {
  readonly code: EscalationCode;
}

/** `demystify-memory escalate`: a person takes an erasure over. */
export const escalate = defineCommand<EscalateOptions>({
  name: "escalate",
  group: "follow",
  summary: "take over an erasure that is stuck; it completes like any other once nothing is outstanding",
  declare: (command) =>
    void declareErasureId(declareJson(declareMemory(command))).addOption(
      new Option("--code <code>", "why")
        .choices(["sink_unreachable", "sink_refuses", "sink_gone", "closure_unknown", "hold_conflict", "operator"])
        .makeOptionMandatory(),
    ),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const { code } = invocation.options;
      const receipt = await memory.erasures.escalate({ ...erasureRef(tenantKey, invocation), code });
      return invocation.out.answer(EXIT.done, { receipt }, (sheet) => tellReceipt(sheet, receipt));
    }),
});

import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { exitOfReceipt, tellReceipt } from "../../render/receipt-sheet.js";
import { askForLine, canAsk } from "../../terminal/ask.js";
import { readStandardInput } from "../../terminal/standard-input.js";
import { defineCommand, type Invocation } from "../command.js";
import { declareJson } from "../json-option.js";

const MAX_TEXT_BYTES = 1_048_576;

/** `demystify-memory correct`: stores a new text, and erases the old one with everything made of it. */
export const correct = defineCommand<MemoryCommandOptions>({
  name: "correct",
  group: "erase",
  summary: "replace the text of a memory, read from standard input; what was derived from the old one goes",
  declare: (command) => void declareJson(declareMemory(command)).argument("<memory-id>", "the memory to correct"),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const text = await readText(invocation);
      const {
        memory: row,
        receipt,
        redactions,
      } = await memory.correct({
        tenantKey,
        memoryId: invocation.args[0] ?? "",
        text,
      });
      const fields = { memoryId: row.memoryId, redactions: redactions.length, receipt };
      return invocation.out.answer(exitOfReceipt(receipt), fields, (sheet) => {
        sheet.line(`The new text is memory ${row.memoryId}. The old one:`);
        tellReceipt(sheet, receipt);
      });
    }),
});

async function readText({ console, interrupt }: Invocation): Promise<string> {
  const example = "demystify-memory correct MEMORY-ID < text.txt";
  if (canAsk(console)) return askForLine(console, interrupt, "The new text, in one line");
  return readStandardInput(console, interrupt, { what: "a text", maxBytes: MAX_TEXT_BYTES, example });
}

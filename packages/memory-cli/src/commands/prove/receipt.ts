import { Option } from "commander";
import type { ErasureReceipt } from "@demystify/memory";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { receiptHtml } from "../../receipt/html.js";
import { receiptMarkdown } from "../../receipt/markdown.js";
import { receiptPage } from "../../receipt/page.js";
import { exitOfReceipt } from "../../render/receipt-sheet.js";
import { defineCommand } from "../command.js";
import { declareErasureId, erasureRef } from "../follow/erasure-id.js";

type ReceiptFormat = "json" | "md" | "html";

interface ReceiptOptions extends MemoryCommandOptions {
  readonly format: ReceiptFormat;
}

const FORMATS: Readonly<Record<ReceiptFormat, (receipt: ErasureReceipt) => string>> = {
  json: (receipt) => `${JSON.stringify(receipt, null, 2)}\n`,
  md: (receipt) => receiptMarkdown(receiptPage(receipt)),
  html: (receipt) => receiptHtml(receiptPage(receipt)),
};

/** `demystify-memory receipt`: what was removed, what was not reached and why, for a person to read and print. */
export const receipt = defineCommand<ReceiptOptions>({
  name: "receipt",
  group: "prove",
  summary: "print the receipt of an erasure, to read, print or keep; exit 4 until it is complete",
  declare: (command) =>
    void declareErasureId(declareMemory(command)).addOption(
      new Option("--format <format>", "json as the library gives it, md, or html as one page that loads nothing")
        .choices(["json", "md", "html"])
        .default("md"),
    ),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const { options, out, progress } = invocation;
      const found = await memory.erasures.status(erasureRef(tenantKey, invocation));
      out.write(FORMATS[options.format](found));
      if (found.state !== "complete") progress.note("This erasure is not complete, and its receipt says so.");
      return exitOfReceipt(found);
    }),
});

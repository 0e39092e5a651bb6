import { Option } from "commander";
import type { RowKind } from "@demystify/memory";
import { EXIT, FailedError } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { LINEAGE_FORMATS, type LineageFormat } from "../../lineage/formats.js";
import { readLineage } from "../../lineage/read-graph.js";
import { defineCommand } from "../command.js";

interface LineageOptions extends MemoryCommandOptions {
  readonly kind?: RowKind;
  readonly format: LineageFormat;
}

/** `demystify-memory lineage`: what a row was made from, and what was made of it. */
export const lineage = defineCommand<LineageOptions>({
  name: "lineage",
  group: "prove",
  summary: "show what a row was made from, what was made of it, and where copies are",
  declare: (command) =>
    void declareMemory(command)
      .argument("<id>", "a memory or a derived row")
      .addOption(
        new Option("--kind <kind>", "what it is (default: whichever it turns out to be)").choices([
          "memory",
          "derived",
        ]),
      )
      .addOption(
        new Option("--format <format>", "text, json, or a drawing for Graphviz or Mermaid")
          .choices(["text", "json", "dot", "mermaid"])
          .default("text"),
      ),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const { kind, format } = invocation.options;
      const id = invocation.args[0] ?? "";
      for (const each of kind === undefined ? (["memory", "derived"] as const) : [kind]) {
        const graph = await readLineage(memory, tenantKey, { kind: each, id });
        if (graph === null) continue;
        invocation.out.write(LINEAGE_FORMATS[format](graph));
        return EXIT.done;
      }
      throw new FailedError(
        "not_found",
        "there is no such row that may be read in this tenant",
        "Check the id and --tenant. What is forgotten, restricted or expired has no lineage to show.",
      );
    }),
});

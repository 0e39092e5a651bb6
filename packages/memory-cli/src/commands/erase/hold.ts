import { Option } from "commander";
import type { HoldCode } from "@demystify/memory";
import { EXIT } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { declareSubject, readSubject, type SubjectOptions } from "../../connection/subject.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";

interface HoldOptions extends MemoryCommandOptions, SubjectOptions {
  readonly code: HoldCode;
  readonly until?: string;
}

/** `demystify-memory hold`: lawfully blocks the erasure of a person. */
export const hold = defineCommand<HoldOptions>({
  name: "hold",
  group: "erase",
  summary: "place a legal hold: nothing of this person is erased until it is released",
  declare: (command) =>
    void declareJson(declareSubject(declareMemory(command)))
      .addOption(
        new Option("--code <code>", "why")
          .choices(["litigation", "regulatory", "investigation", "contract"])
          .makeOptionMandatory(),
      )
      .option("--until <time>", "when it ends by itself: ISO 8601 with a zone"),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const { code, until } = invocation.options;
      const subjectKey = await readSubject(
        invocation,
        "hold --tenant KEY --code CODE",
        "Whom to hold? Type their key.",
      );
      const { holdId } = await memory.holds.place({
        tenantKey,
        subjectKey,
        code,
        ...(until === undefined ? {} : { until }),
      });
      return invocation.out.answer(EXIT.done, { holdId }, (sheet) => {
        sheet.line(`Held: ${holdId}`);
        sheet.line(`To end it: demystify-memory release ${holdId}`);
      });
    }),
});

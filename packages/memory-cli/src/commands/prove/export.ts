import { EXIT } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { declareSubject, readSubject, type SubjectOptions } from "../../connection/subject.js";
import { amount } from "../../render/words.js";
import { defineCommand } from "../command.js";

interface ExportOptions extends MemoryCommandOptions, SubjectOptions {
  readonly includeShared?: true;
}

/** `demystify-memory export`: everything about a person, as JSON Lines (GDPR Art. 15 and 20, DPDP Act 2023 s. 11). */
export const exportSubject = defineCommand<ExportOptions>({
  name: "export",
  group: "prove",
  summary: "write everything about a person as JSON Lines, what others share withheld",
  declare: (command) =>
    void declareSubject(declareMemory(command)).option(
      "--include-shared",
      "also the content of rows that concern others: access must not become disclosure",
    ),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const { options, out, interrupt, progress } = invocation;
      interrupt.help = "What was written is not the whole export. Run the same command again for that.";
      const line = "export --tenant KEY --subject-stdin > export.jsonl";
      const subjectKey = await readSubject(invocation, line, "Whose data? Type their key.");
      const includeShared = options.includeShared === true;
      let rows = 0;
      for await (const row of memory.exportSubject({ tenantKey, subjectKey, includeShared })) {
        await out.writeLine(JSON.stringify(row));
        rows += 1;
        await interrupt.check();
      }
      progress.note(`${amount(rows, "row")} written.`);
      return EXIT.done;
    }),
});

import { basename } from "node:path";
import { EXIT, type ExitCode } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { checkFile } from "../../import/check-file.js";
import { importFile, type ImportReport } from "../../import/import-file.js";
import type { Columns } from "../../input/message.js";
import type { Sheet } from "../../render/sheet.js";
import { amount, tally } from "../../render/words.js";
import { readCount } from "../../text/count.js";
import { defineCommand } from "../command.js";
import { declareJson, declareStrict } from "../json-option.js";

interface ImportOptions extends MemoryCommandOptions {
  readonly subjectColumn: string;
  readonly textColumn: string;
  readonly timeColumn?: string;
  readonly kind?: string;
  readonly fromLine: string;
  readonly provenanceUnknown?: true;
  readonly strict?: true;
}

/** `demystify-memory import`: stores a file line by line, each under its person, identifiers masked. */
export const importMessages = defineCommand<ImportOptions>({
  name: "import",
  group: "operate",
  summary: "store a file of JSON Lines or CSV, each line under its person; may be stopped and run again",
  declare: (command) =>
    void declareStrict(declareJson(declareMemory(command)))
      .argument("<file>", "JSON Lines of {subject, at, text}, or .csv with a header")
      .option("--subject-column <name>", "the field or column that names the person", "subject")
      .option("--text-column <name>", "the field or column with the text", "text")
      .option("--time-column <name>", 'the field or column with the time (default: "at", where there is one)')
      .option("--kind <code>", "the kind of every memory, such as message")
      .option("--from-line <number>", "begin at this line, as a stopped import printed it", "1")
      .option(
        "--provenance-unknown",
        "things were made of these texts that nobody recorded: an erasure then asks a person to look for them",
      )
      .addHelpText("after", HELP),
  run: (invocation) => {
    const { args, options } = invocation;
    const from = readCount(options.fromLine, "--from-line", { min: 1, max: 1_000_000_000 });
    const columns = columnsOf(options);
    return withMemory(invocation, async ({ memory, tenantKey, keyed }) => {
      const { interrupt, progress, out } = invocation;
      const path = args[0] ?? "";
      progress.note("Checking every line before the first is stored …");
      const checked = await checkFile(path, columns, () => interrupt.check());
      if (!keyed) progress.note("Note: no pepper is set, so the hashes of persons can be guessed. See --pepper-file.");
      const report = await progress.during("Importing", checked.messages, (advance) =>
        importFile(memory, {
          tenantKey,
          path,
          columns,
          modifiedAt: checked.modifiedAt,
          fromLine: from,
          ...(options.kind === undefined ? {} : { kind: options.kind }),
          provenanceKnown: options.provenanceUnknown !== true,
          advance,
          between: async (nextLine) => {
            interrupt.help = `Stopped before line ${nextLine}. Go on with: demystify-memory import ${basename(path)} --from-line ${nextLine} (from the start is safe as well: no line is stored twice).`;
            await interrupt.check();
          },
        }),
      );
      const exit = exitOf(report, options.strict === true);
      return out.answer(exit, { file: basename(path), ...checked, ...report }, (sheet) => tell(sheet, report));
    });
  },
});

const HELP = `
A line is stored once, however often the file is imported: it is known by its person, time and text. A line without a
time counts as captured when the file was last changed, so that an old file cannot bring back whom a later erasure
forgot. Refused lines are counted by code and told by number, never quoted.`;

function columnsOf(options: ImportOptions): Columns {
  return {
    subject: options.subjectColumn,
    text: options.textColumn,
    time: { name: options.timeColumn ?? "at", required: options.timeColumn !== undefined },
  };
}

/** Whom an erasure covers stays forgotten: that is as it should be. Any other refusal is a failure. */
function exitOf({ refused }: ImportReport, strict: boolean): ExitCode {
  const codes = Object.keys(refused);
  if (codes.some((code) => code !== "ERR_SUBJECT_FORGOTTEN")) return EXIT.failed;
  return strict && codes.length > 0 ? EXIT.warnings : EXIT.done;
}

function tell(sheet: Sheet, { stored, refused, refusedLines, redactions, rematerialised }: ImportReport): void {
  sheet.line(`${amount(stored, "line")} stored, or found stored already.`);
  const masked = Object.values(redactions).reduce((sum, count) => sum + count, 0);
  sheet.text(`${amount(masked, "identifier")} masked before the write${masked === 0 ? "" : `: ${tally(redactions)}`}.`);
  if (rematerialised > 0) {
    sheet.text(`${amount(rematerialised, "line")} repeat a text that was erased before; they were stored as new data.`);
  }
  if (refusedLines.length === 0) return;
  sheet.line(`Refused: ${tally(refused)}.`);
  const shown = refusedLines.slice(0, 10).join(", ");
  sheet.line(`  lines ${shown}${refusedLines.length > 10 ? ", …" : ""}`);
  if (Object.hasOwn(refused, "ERR_SUBJECT_FORGOTTEN")) {
    sheet.text("ERR_SUBJECT_FORGOTTEN: the person was forgotten after the line was captured, and stays so.", "  ");
  }
}

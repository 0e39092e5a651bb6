import type { ReconcileAnswer, Verdict } from "@demystify/memory";
import { EXIT, UsageError, type ExitCode } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { linesOfFile } from "../../input/lines-of-file.js";
import type { Sheet } from "../../render/sheet.js";
import { amount } from "../../render/words.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";
import { sweepSinks, tellSinks } from "./sweep-sinks.js";

interface SweepOptions extends MemoryCommandOptions {
  readonly repair?: true;
  readonly against?: string;
  readonly config?: string;
  readonly showRefs?: true;
}

/** Never "clean" for what could not be looked at. */
const EXITS: Readonly<Record<Verdict, ExitCode>> = {
  clean: EXIT.done,
  residue: EXIT.residue,
  unchecked: EXIT.failed,
};

/** `demystify-memory sweep`: compares the tombstones with what lives, here and in the sinks. */
export const sweep = defineCommand<SweepOptions>({
  name: "sweep",
  group: "guard",
  summary: "compare the tombstones with what lives; exit 5 on residue, 1 where something could not be looked at",
  declare: (command) =>
    void declareJson(declareMemory(command))
      .option("--repair", "erase again what is found alive, under new tombstones")
      .option("--against <file>", "tombstones exported earlier: one that is missing now is residue")
      .option(
        "--config <file>",
        "a worker's configuration: also list its sinks, and compare them with what is on record",
      )
      .option("--show-refs", "with --config: also show where an entry is that nobody recorded; that may be personal"),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const { repair, against, config, showRefs } = invocation.options;
      if (showRefs === true && config === undefined) {
        throw new UsageError("--show-refs is for --config", "Give --config FILE as well.");
      }
      invocation.interrupt.help = "What was found is still there. Run the same command again to look from the start.";
      const answer = await memory.erasures.reconcile({
        tenantKey,
        ...(repair === true ? { repair } : {}),
        ...(against === undefined ? {} : { against: linesOfFile(against, "--against") }),
      });
      await invocation.interrupt.check();
      const swept =
        config === undefined ? null : await sweepSinks(config, invocation, { memory, tenantKey }, repair === true);
      await invocation.interrupt.check();
      const verdict = worst([answer.verdict, swept?.verdict ?? "clean"]);
      const fields = {
        ...answer,
        verdict,
        sinks: swept?.sinks ?? [],
        ...(showRefs === true ? { orphans: swept?.orphans ?? [] } : {}),
      };
      return invocation.out.answer(EXITS[verdict], fields, (sheet) => {
        tell(sheet, { ...answer, verdict }, repair === true);
        if (swept !== null) tellSinks(sheet, swept, showRefs === true);
      });
    }),
});

function worst(verdicts: readonly Verdict[]): Verdict {
  return (["residue", "unchecked"] as const).find((each) => verdicts.includes(each)) ?? "clean";
}

function tell(sheet: Sheet, { verdict, findings, coverage, repaired }: ReconcileAnswer, repair: boolean): void {
  const { green, red, yellow } = sheet.colors;
  const paint = { clean: green, residue: red, unchecked: yellow }[verdict];
  sheet.line(paint(`Verdict: ${verdict}`));
  sheet.text(
    `Looked at ${amount(coverage.memories, "memory", "memories")}, ${amount(coverage.derived, "derived row")}, ${amount(coverage.placements, "copy", "copies")} and ${amount(coverage.tombstones, "tombstone")}.`,
  );
  if (coverage.personsUnchecked > 0) {
    sheet.text(`${amount(coverage.personsUnchecked, "row")} under a pepper that was not given: see --pepper-file.`);
  }
  if (coverage.contentUnchecked > 0) {
    sheet.text(`${amount(coverage.contentUnchecked, "row")} without content tags: a text that came back is not seen.`);
  }
  if (findings.length === 0) return;
  sheet.table(
    ["finding", "kind", "id", "erasure"],
    findings.map(({ code, kind, id, tombstoneId }) => [code, kind, id, tombstoneId ?? ""]),
  );
  if (repair) sheet.line(`${amount(repaired, "finding")} repaired. Sweep again to see that they are gone.`);
  else if (verdict === "residue") {
    sheet.line("Run demystify-memory verify first, then sweep --repair: it erases again what came back.");
  }
}

import { Option } from "commander";
import type { ErasureReason, ErasureReceipt, ErasureScope, RequesterRole } from "@demystify/memory";
import { CliError, EXIT, UsageError, type ExitCode } from "../../cli-error.js";
import {
  declareMemory,
  withMemory,
  type Connected,
  type MemoryCommandOptions,
} from "../../connection/memory-options.js";
import { declareScope, readScope, type ScopeOptions } from "../../connection/scope.js";
import { previewFields, tellPreview } from "../../render/preview-sheet.js";
import { exitOfReceipt, tellReceipt } from "../../render/receipt-sheet.js";
import { Sheet } from "../../render/sheet.js";
import { askForLine, canAsk } from "../../terminal/ask.js";
import { colorsFor, widthOf } from "../../terminal/console.js";
import { readDuration } from "../../text/duration.js";
import { defineCommand, type Invocation } from "../command.js";
import { declareJson } from "../json-option.js";

interface ForgetOptions extends MemoryCommandOptions, ScopeOptions {
  readonly preview?: true;
  readonly yes?: true;
  readonly reason?: ErasureReason;
  readonly legalBasis?: string;
  readonly requestedBy?: RequesterRole;
  readonly requestId?: string;
  readonly wait?: string;
}

const POLL_MILLISECONDS = 1_000;

/** `demystify-memory forget`: erases a person, or chosen memories, and everything made of them. */
export const forget = defineCommand<ForgetOptions>({
  name: "forget",
  group: "erase",
  summary: "erase a person, with everything derived from what they said",
  declare: (command) =>
    void declareJson(declareScope(declareMemory(command)))
      .addOption(new Option("--preview", "show what would be erased, and erase nothing").conflicts(["yes", "wait"]))
      .option("--yes", "do not ask; needed where nobody can be asked")
      .addOption(
        new Option("--reason <code>", "why (default: subject_request)").choices([
          "subject_request",
          "retention_policy",
          "operator",
        ]),
      )
      .option("--legal-basis <code>", "the ground, such as gdpr_17_1_a or dpdp_12 (default: unspecified)")
      .addOption(
        new Option("--requested-by <role>", "who asked (default: unspecified)").choices([
          "data_principal",
          "controller",
          "operator",
          "system",
          "unspecified",
        ]),
      )
      .option("--request-id <id>", "the same id gets the same receipt again; kept as a hash")
      .option("--wait <duration>", "how long to wait for copies in other systems, such as 30s or 10m"),
  run: async (invocation) => {
    const { options, console } = invocation;
    const wait = options.wait === undefined ? 0 : readDuration(options.wait, "--wait");
    if (options.preview !== true && options.yes !== true && !canAsk(console)) {
      throw new UsageError(
        "nobody can be asked to confirm",
        "Agree with --yes, or look first with --preview. Nothing was erased.",
      );
    }
    return withMemory(invocation, (connected) => forgetScope(invocation, connected, wait));
  },
});

async function forgetScope(
  invocation: Invocation<ForgetOptions>,
  connected: Connected,
  wait: number,
): Promise<ExitCode> {
  const { options, out, interrupt, progress } = invocation;
  const { memory, tenantKey, keyed } = connected;
  interrupt.help = "Nothing was erased. Run the same command again to start.";
  const scope = await readScope(invocation, tenantKey, "forget --tenant KEY --yes", "Whom to forget? Type their key.");
  const preview = await memory.previewForget(scope);
  await interrupt.check();
  if (options.preview === true) {
    const fields = { preview: previewFields(preview) };
    return out.answer(EXIT.done, fields, (sheet) => tellPreview(sheet, preview));
  }
  if (options.yes !== true) {
    tellPreview(asideSheet(invocation), preview);
    await confirm(invocation, scope);
  }
  if (!keyed) progress.note("Note: no pepper is set, so the hash in the evidence can be guessed. See --pepper-file.");

  const opened = await memory.erasures.open({
    ...scope,
    previewToken: preview.token,
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    ...(options.legalBasis === undefined ? {} : { legalBasis: options.legalBasis }),
    ...(options.requestedBy === undefined ? {} : { requestedBy: { role: options.requestedBy } }),
    ...(options.requestId === undefined ? {} : { requestId: options.requestId }),
  });
  const ref = { tenantKey, tombstoneId: opened.tombstoneId };
  interrupt.help = `Erasure ${ref.tombstoneId} is open: the person is hidden already. Go on with: demystify-memory retry ${ref.tombstoneId}`;
  progress.note(`Erasure ${ref.tombstoneId} is open.`);
  await interrupt.check();
  const receipt = await waitFor(invocation, () => memory.erasures.resume(ref), wait);
  return out.answer(exitOfReceipt(receipt), { receipt }, (sheet) => tellReceipt(sheet, receipt));
}

/** Goes on until the erasure is complete or the time is over. */
async function waitFor(
  { interrupt, progress }: Invocation,
  resume: () => Promise<ErasureReceipt>,
  milliseconds: number,
): Promise<ErasureReceipt> {
  const until = Date.now() + milliseconds;
  let receipt = await resume();
  if (receipt.state !== "complete" && milliseconds > 0) progress.note("Waiting for the copies in other systems …");
  while (receipt.state !== "complete" && Date.now() < until) {
    await interrupt.pause(Math.min(POLL_MILLISECONDS, Math.max(1, until - Date.now())));
    receipt = await resume();
  }
  return receipt;
}

async function confirm({ console, interrupt }: Invocation, scope: ErasureScope): Promise<void> {
  const expected = scope.memoryIds === undefined ? scope.subjectKey : "forget";
  const question =
    scope.memoryIds === undefined
      ? "This cannot be undone. Type the key again to go on."
      : "This cannot be undone. Type forget to go on.";
  if ((await askForLine(console, interrupt, question)) === expected) return;
  throw new CliError({
    code: "declined",
    message: "that is not what was asked for, so nothing was erased",
    help: interrupt.help,
    exitCode: EXIT.failed,
  });
}

/** What belongs to a question goes where the question goes. */
function asideSheet({ console }: Invocation): Sheet {
  return new Sheet({
    write: (text) => void console.stderr.write(text),
    colors: colorsFor(console.stderr, console.env),
    width: widthOf(console.stderr),
  });
}

import type { ErasureReceipt, ErasureRef, Memory, OutstandingPlacement } from "@demystify/memory";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { printable } from "../../render/printable.js";
import { exitOfReceipt, tellReceipt } from "../../render/receipt-sheet.js";
import type { Sheet } from "../../render/sheet.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";
import { declareErasureId, erasureRef } from "./erasure-id.js";
import { declareWatch, watch, type WatchOptions } from "./watch.js";

interface ErasureOptions extends MemoryCommandOptions, WatchOptions {
  readonly showRefs?: true;
}

interface Standing {
  readonly receipt: ErasureReceipt;
  readonly outstanding: readonly (Omit<OutstandingPlacement, "ref"> & { readonly ref?: string | null })[];
}

/** `demystify-memory erasure`: where one erasure stands, and which copies it waits for. */
export const erasure = defineCommand<ErasureOptions>({
  name: "erasure",
  group: "follow",
  summary: "show where an erasure stands and which copies it waits for; exit 4 until it is complete",
  declare: (command) =>
    void declareWatch(declareErasureId(declareJson(declareMemory(command)))).option(
      "--show-refs",
      "also show where each copy is; such a reference may itself be personal",
    ),
  run: (invocation) =>
    withMemory(invocation, async ({ memory, tenantKey }) => {
      const { options, out } = invocation;
      const ref = erasureRef(tenantKey, invocation);
      const look = () => stand(memory, ref, options.showRefs === true);
      if (options.watch === undefined) {
        const standing = await look();
        return out.answer(exitOfReceipt(standing.receipt), standing, (sheet) => tell(sheet, standing));
      }
      const last = await watch(invocation, {
        look,
        done: ({ receipt }) => receipt.state === "complete",
        show: (standing) => out.update(exitOfReceipt(standing.receipt), standing, (sheet) => tell(sheet, standing)),
      });
      return exitOfReceipt(last.receipt);
    }),
});

async function stand(memory: Memory, ref: ErasureRef, showRefs: boolean): Promise<Standing> {
  const receipt = await memory.erasures.status(ref);
  const outstanding = receipt.state === "complete" ? [] : await memory.erasures.outstanding(ref);
  return { receipt, outstanding: showRefs ? outstanding : outstanding.map(({ ref: _ref, ...rest }) => rest) };
}

function tell(sheet: Sheet, { receipt, outstanding }: Standing): void {
  tellReceipt(sheet, receipt);
  if (outstanding.length === 0) return;
  const refs = outstanding.some(({ ref }) => ref !== undefined);
  sheet.table(
    ["copy", "sink", "kind", "must be", "tries", "last", "next", ...(refs ? ["where"] : [])],
    outstanding.map((copy) => [
      copy.placementId,
      copy.sink,
      copy.kind,
      copy.requiredProof,
      copy.attempts,
      copy.lastErrorCode === null ? "" : `${copy.lastErrorCode} at ${copy.lastAttemptAt ?? ""}`,
      nextOf(copy),
      ...(refs ? [printable(copy.ref ?? "")] : []),
    ]),
  );
  if (outstanding.some(({ retryAt }) => retryAt !== null)) {
    sheet.text(`To try at once: demystify-memory retry ${receipt.tombstoneId} --config FILE`);
  }
}

function nextOf({ retryAt, leasedUntil, writeDeadline }: Standing["outstanding"][number]): string {
  if (retryAt !== null) return `tried again at ${retryAt}`;
  if (leasedUntil !== null) return `a worker has it until ${leasedUntil}`;
  if (writeDeadline !== null) return `may still be written until ${writeDeadline}`;
  return "waits for a worker or a person";
}

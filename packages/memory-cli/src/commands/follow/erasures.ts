import { Option } from "commander";
import type { ErasureReceipt, ErasureState, Memory } from "@demystify/memory";
import { EXIT, UsageError, type ExitCode } from "../../cli-error.js";
import {
  declareMemory,
  withMemory,
  type Connected,
  type MemoryCommandOptions,
} from "../../connection/memory-options.js";
import { copiesBySink } from "../../render/receipt-sheet.js";
import type { Sheet } from "../../render/sheet.js";
import { readCount } from "../../text/count.js";
import { readDuration } from "../../text/duration.js";
import { defineCommand, type Invocation } from "../command.js";
import { declareJson } from "../json-option.js";
import { declareWatch, watch, type WatchOptions } from "./watch.js";

interface ErasuresOptions extends MemoryCommandOptions, WatchOptions {
  readonly open?: true;
  readonly state?: ErasureState;
  readonly olderThan?: string;
  readonly limit: string;
}

/** `demystify-memory erasures`: the erasures of a tenant, newest first. */
export const erasures = defineCommand<ErasuresOptions>({
  name: "erasures",
  group: "follow",
  summary: "list erasures, newest first; with --older-than, exit 4 if one of them is still open",
  declare: (command) =>
    void declareWatch(declareJson(declareMemory(command)))
      .addOption(new Option("--open", "only those that are not complete").conflicts("state"))
      .addOption(new Option("--state <state>", "only these").choices(["in_progress", "complete", "escalated"]))
      .option("--older-than <duration>", "only those opened longer ago, such as 24h")
      .option("--limit <rows>", "at most so many, 1 to 1,000", "100"),
  run: (invocation) => {
    const { options } = invocation;
    const limit = readCount(options.limit, "--limit", { min: 1, max: 1_000 });
    const age = options.olderThan === undefined ? null : readDuration(options.olderThan, "--older-than");
    if (options.watch !== undefined && options.open !== true) {
      throw new UsageError("--watch has no end without --open", "Give --open: it ends when nothing is open any more.");
    }
    return withMemory(invocation, async (connected) => {
      const look = () => list(connected, options, limit, age);
      if (options.watch === undefined) {
        const receipts = await look();
        return invocation.out.answer(exitOf(receipts, age), { erasures: receipts }, (sheet) => tell(sheet, receipts));
      }
      return watchOpen(invocation, look, age);
    });
  },
});

async function watchOpen(
  invocation: Invocation<ErasuresOptions>,
  look: () => Promise<readonly ErasureReceipt[]>,
  age: number | null,
): Promise<ExitCode> {
  await watch(invocation, {
    look,
    done: (receipts) => receipts.length === 0,
    show: (receipts) =>
      invocation.out.update(exitOf(receipts, age), { erasures: receipts }, (sheet) => tell(sheet, receipts)),
  });
  return EXIT.done;
}

async function list(
  { memory, tenantKey }: Connected,
  options: ErasuresOptions,
  limit: number,
  age: number | null,
): Promise<readonly ErasureReceipt[]> {
  const states: readonly (ErasureState | undefined)[] =
    options.open === true ? ["in_progress", "escalated"] : [options.state];
  const query = { tenantKey, limit, ...(age === null ? {} : { olderThan: new Date(Date.now() - age) }) };
  const lists = await Promise.all(states.map((state) => page(memory, { ...query, ...(state && { state }) })));
  // Ids are ordered by time.
  return lists
    .flat()
    .sort((a, b) => (a.tombstoneId < b.tombstoneId ? 1 : -1))
    .slice(0, limit);
}

async function page(
  memory: Memory,
  query: Parameters<Memory["erasures"]["list"]>[0],
): Promise<readonly ErasureReceipt[]> {
  return (await memory.erasures.list(query)).receipts;
}

/** Past its time and not complete: somebody should know. */
function exitOf(receipts: readonly ErasureReceipt[], age: number | null): ExitCode {
  return age !== null && receipts.some(({ state }) => state !== "complete") ? EXIT.inProgress : EXIT.done;
}

function tell(sheet: Sheet, receipts: readonly ErasureReceipt[]): void {
  if (receipts.length === 0) {
    sheet.line("No such erasure.");
    return;
  }
  sheet.table(
    ["erasure", "opened", "state", "next to move", "rows", "waiting for"],
    receipts.map(({ tombstoneId, openedAt, state, owner, counts, outstanding }) => [
      tombstoneId,
      openedAt.slice(0, 19),
      state,
      state === "complete" ? "" : owner,
      counts.memories + counts.derived,
      outstanding.length === 0 ? "" : copiesBySink(outstanding),
    ]),
  );
}

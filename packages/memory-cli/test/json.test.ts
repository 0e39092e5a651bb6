import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "./support/input.js";
import { documentOf, type MainRun } from "./support/run-main.js";
import { describeOnServer } from "./support/server-suite.js";

const folder = temporaryFolder();
const COMMON = ["command", "format", "ok", "exitCode"];

/** The table of the guide: command → fields. */
function documented(): ReadonlyMap<string, readonly string[]> {
  const guide = readFileSync(new URL("../../../docs/guides/cli.md", import.meta.url), "utf8");
  const [, table = ""] = /<!-- shapes[^>]*-->([\s\S]*?)<!-- \/shapes -->/.exec(guide) ?? [];
  const rows = table.split("\n").filter((line) => line.startsWith("| `"));
  return new Map(
    rows.map((row) => {
      const [command = "", ...fields] = [...row.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? "");
      return [command, fields];
    }),
  );
}

describeOnServer("the documents of --json", (given) => {
  test("have the fields that the guide lists, each command's own and no others, and never a person", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const asAdmin = { env: { DATABASE_URL: given.adminUrl } };
    const person = { input: "customer:ramesh" };
    const seen = new Map<string, MainRun>();
    const see = async (args: readonly string[], options: Parameters<typeof cli>[1] = {}) => {
      const printed = await cli([...args, "--json"], options);
      seen.set(args[0] ?? "", printed);
      return documentOf<Record<string, string> & { receipt: { tombstoneId: string } }>(printed);
    };
    const placed = async (subjectKey: string) => {
      const { memory: row } = await memory.remember({ tenantKey, subjectKey, text: `copied of ${subjectKey}` });
      const sources = [{ sourceKind: "memory" as const, sourceId: row.memoryId }];
      const input = { tenantKey, sink: "cache", ref: `r-${subjectKey}`, kind: "entry", sources };
      return (await memory.recordPlacement(input)).placement.placementId;
    };
    const messages = join(folder, "messages.jsonl");
    writeFileSync(messages, `{"subject":"customer:ramesh","text":"words"}\n`);
    const tombstones = join(folder, "tombstones.jsonl");

    for (const command of ["plan", "migrate", "version", "verify", "doctor"]) await see([command], asAdmin);
    await see(["grants", "--app", given.appRole]);
    await see(["import", messages]);
    const { restrictionId } = await see(["restrict", "--basis", "operator"], person);
    await see(["lift", restrictionId ?? ""]);
    const { holdId } = await see(["hold", "--code", "contract"], person);
    await see(["holds"]);
    await see(["release", holdId ?? ""]);
    await see(["expire"]);
    const { rows } = await memory.listMemories({ tenantKey, limit: 1 });
    await see(["correct", rows[0]?.memoryId ?? ""], { input: "other words" });
    const copies = [await placed("customer:ramesh"), await placed("customer:ramesh-2")];
    const { receipt } = await see(["forget", "--yes"], person);
    const second = documentOf<{ receipt: { tombstoneId: string } }>(
      await cli(["forget", "--yes", "--json"], { input: "customer:ramesh-2" }),
    ).receipt;
    await see(["erasures"]);
    await see(["erasure", receipt.tombstoneId]);
    await see(["retry", receipt.tombstoneId]);
    await see(["escalate", receipt.tombstoneId, "--code", "operator"]);
    await see(["confirm", receipt.tombstoneId, "--copy", copies[0] ?? "", "--proof", "unfindable"]);
    await see(["attest", second.tombstoneId, "--copy", copies[1] ?? "", "--by", "dpo", "--reference", "CASE-1"]);
    await see(["history"]);
    await see(["fingerprint"], person);
    await see(["sweep"]);
    await see(["scan"], { ...asAdmin, input: "nothing like this" });
    writeFileSync(tombstones, (await cli(["export-tombstones"])).stdout);
    await see(["replay", tombstones]);

    const shapes = Object.fromEntries(
      [...seen].map(([command, printed]) => [command, Object.keys(documentOf(printed)).slice(COMMON.length)]),
    );
    expect(shapes).toEqual(Object.fromEntries([...documented()]));
    for (const [command, printed] of seen) {
      expect(documentOf(printed)).toMatchObject({ command, format: 1, ok: printed.code === 0, exitCode: printed.code });
      expect(Object.keys(documentOf(printed)).slice(0, COMMON.length)).toEqual(COMMON);
      expect(printed.stdout).not.toMatch(/ramesh|other words/);
    }
  }, 60_000);
});

import { expect, test } from "vitest";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./support/input.js";
import { documentOf, linesOf } from "./support/run-main.js";
import { describeOnServer, type Given } from "./support/server-suite.js";

const NOBODYS = "018f0000-0000-7000-8000-000000000000";
const REF = "doc-of-ramesh";
const folder = temporaryFolder();

/** An erasure that waits for one copy. */
async function waiting(given: Given, sink = "search-index") {
  const tenant = given.tenant();
  const { memory, tenantKey, cli } = tenant;
  const { memory: row } = await memory.remember({ tenantKey, subjectKey: "ramesh", text: "copied elsewhere" });
  const { placement } = await memory.recordPlacement({
    tenantKey,
    sink,
    ref: REF,
    kind: "document",
    sources: [{ sourceKind: "memory", sourceId: row.memoryId }],
  });
  const forgotten = await cli(["forget", "--yes", "--json"], { input: "ramesh" });
  const { tombstoneId } = documentOf<{ receipt: { tombstoneId: string } }>(forgotten).receipt;
  return { ...tenant, placementId: placement.placementId, tombstoneId };
}

describeOnServer("a copy that a worker failed at", (given) => {
  test("says when it is tried again, and retry takes it at once, from another process than the worker's", async () => {
    const { cli, tombstoneId, tenantKey, placementId } = await waiting(given, "share");
    const root = mkdtempSync(join(folder, "share-"));
    const config = join(root, "..", `${tenantKey}.json`);
    const sinks = (at: string) => [{ type: "filesystem", name: "share", root: at }];
    const backoff = { baseSeconds: 3600, maxSeconds: 3600 };
    writeFileSync(config, JSON.stringify({ backoff, sinks: sinks(join(root, "not-mounted")) }));
    const failed = await cli(["worker", "--once", "--config", config]);
    writeFileSync(config, JSON.stringify({ backoff, sinks: sinks(root) }));

    const shown = await cli(["erasure", tombstoneId]);
    const machine = await cli(["erasure", tombstoneId, "--json"]);
    const unasked = await cli(["worker", "--once", "--config", config]);
    const retried = await cli(["retry", tombstoneId, "--config", config]);

    const anInstant = /\d{4}-\d\d-\d\dT[\d:.]+Z/.source;
    expect(failed.code).toBe(4);
    expect(shown.stdout).toMatch(new RegExp(`not_found at ${anInstant}`));
    expect(shown.stdout).toMatch(new RegExp(`tried again at ${anInstant}`));
    expect(shown.stdout).toContain(`demystify-memory retry ${tombstoneId} --config FILE`);
    const [copy] = documentOf<{ outstanding: { retryAt: string; lastAttemptAt: string }[] }>(machine).outstanding;
    expect(copy).toMatchObject({ placementId, attempts: 1, lastErrorCode: "not_found" });
    expect(Date.parse(copy?.retryAt ?? "") - Date.parse(copy?.lastAttemptAt ?? "")).toBeGreaterThan(1_700_000);
    expect(unasked.code).toBe(4);
    expect(retried.code).toBe(0);
  });

  test("that may still be written says until when", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const { memory: row } = await memory.remember({ tenantKey, subjectKey: "ramesh", text: "about to be copied" });
    const sources = [{ sourceKind: "memory", sourceId: row.memoryId }] as const;
    await memory.recordPlacement({ tenantKey, sink: "cache", ref: REF, kind: "entry", sources, writeWithin: 600 });
    const { receipt } = documentOf<{ receipt: { tombstoneId: string } }>(
      await cli(["forget", "--yes", "--json"], { input: "ramesh" }),
    );

    const shown = await cli(["erasure", receipt.tombstoneId]);

    expect(shown.stdout).toMatch(/may still be written until \d{4}-/);
  });
});

describeOnServer("following an erasure", (given) => {
  test("it is listed while it is open, ends with 4 only when it is past its time, and shows no reference", async () => {
    const { cli, tombstoneId } = await waiting(given);

    const open = await cli(["erasures", "--open", "--json"]);
    const late = await cli(["erasures", "--open", "--older-than", "0s"]);
    const young = await cli(["erasures", "--open", "--older-than", "1h"]);
    const complete = await cli(["erasures", "--state", "complete", "--json"]);

    expect(open.code).toBe(0);
    expect(documentOf(open)).toMatchObject({ erasures: [{ tombstoneId, state: "in_progress", owner: "worker" }] });
    expect(late.code).toBe(4);
    expect(late.stdout).toContain("1 copy in search-index");
    expect(young).toMatchObject({ code: 0, stdout: "No such erasure.\n" });
    expect(documentOf(complete)).toMatchObject({ erasures: [] });
    expect(open.stdout + late.stdout).not.toContain(REF);
  });

  test("one erasure shows its copies, and where they are only when asked", async () => {
    const { cli, tombstoneId, placementId } = await waiting(given);

    const shown = await cli(["erasure", tombstoneId, "--json"]);
    const withRefs = await cli(["erasure", tombstoneId, "--show-refs"]);

    expect(shown.code).toBe(4);
    expect(documentOf(shown)).toMatchObject({
      receipt: { tombstoneId },
      outstanding: [{ placementId, sink: "search-index", requiredProof: "unfindable", attempts: 0 }],
    });
    expect(shown.stdout).not.toContain(REF);
    expect(withRefs.stdout).toContain(REF);
  });

  test("a confirmation that is too weak ends with 1 and counts as a try; a good one completes the erasure", async () => {
    const { cli, tombstoneId, placementId } = await waiting(given);
    const confirm = (proof: string) =>
      cli(["confirm", tombstoneId, "--copy", placementId, "--proof", proof, "--by", "clerk", "--json"]);

    const weak = await confirm("absent");
    const tried = await cli(["erasure", tombstoneId, "--json"]);
    const good = await confirm("unfindable");

    expect(weak.code).toBe(1);
    expect(documentOf(weak)).toMatchObject({ error: { code: "ERR_CONFIRMATION_REJECTED" } });
    expect(documentOf(tried)).toMatchObject({ outstanding: [{ attempts: 1 }] });
    expect(good.code).toBe(0);
    expect(documentOf(good)).toMatchObject({ receipt: { state: "complete", closure: "confirmed" } });
  });

  test("a person may take over, and vouch; the receipt says so", async () => {
    const { cli, tombstoneId, placementId } = await waiting(given);

    const escalated = await cli(["escalate", tombstoneId, "--code", "sink_gone", "--json"]);
    const attested = await cli([
      ...["attest", tombstoneId, "--copy", placementId],
      ...["--by", "dpo", "--reference", "CASE-7", "--json"],
    ]);

    expect(documentOf(escalated)).toMatchObject({ ok: true, receipt: { state: "escalated", owner: "person" } });
    expect(attested.code).toBe(0);
    expect(documentOf(attested)).toMatchObject({ receipt: { state: "complete", closure: "attested" } });
  });

  test("an unknown closure waits for a person, who vouches for it", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    await memory.remember({ tenantKey, subjectKey: "ramesh", text: "imported", provenanceKnown: false });

    const forgotten = await cli(["forget", "--yes", "--json"], { input: "ramesh" });
    const { tombstoneId } = documentOf<{ receipt: { tombstoneId: string } }>(forgotten).receipt;
    const told = await cli(["erasure", tombstoneId]);
    const attested = await cli(["attest", tombstoneId, "--closure", "--by", "dpo", "--reference", "CASE-8", "--json"]);

    expect(forgotten.code).toBe(4);
    expect(told.stdout).toContain("attest");
    expect(documentOf(attested)).toMatchObject({ receipt: { state: "complete", closure: "attested" } });
  });

  test("an erasure that stopped between its steps is taken up by retry", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    await memory.remember({ tenantKey, subjectKey: "ramesh", text: "half-way" });
    const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: "ramesh" });

    const shown = await cli(["erasure", tombstoneId]);
    const retried = await cli(["retry", tombstoneId, "--json"]);

    expect(shown.code).toBe(4);
    expect(shown.stdout).toContain(`demystify-memory retry ${tombstoneId}`);
    expect(retried.code).toBe(0);
    expect(documentOf(retried)).toMatchObject({ receipt: { state: "complete", counts: { memories: 1 } } });
  });

  test("retry with a worker's configuration finishes the copies too", async () => {
    const root = mkdtempSync(join(folder, "exports-"));
    const { cli, tombstoneId } = await waiting(given, "exports");
    const config = join(folder, "exports.json");
    writeFileSync(config, JSON.stringify({ sinks: [{ type: "filesystem", name: "exports", root }] }));

    const retried = await cli(["retry", tombstoneId, "--config", config, "--json"]);

    expect(retried.code).toBe(0);
    expect(documentOf(retried)).toMatchObject({ receipt: { state: "complete", closure: "confirmed" } });
    expect(retried.stderr).toContain("copy_confirmed");
    expect(retried.stderr).not.toContain(REF);
  });

  test("watching shows what changes as lines of JSON, and ends when nothing is open", async () => {
    const { cli, memory, tenantKey, tombstoneId, placementId } = await waiting(given);

    const watching = cli(["erasure", tombstoneId, "--watch", "1", "--json"]);
    const listing = cli(["erasures", "--open", "--watch", "1", "--json"]);
    await memory.erasures.attempt({ tenantKey, tombstoneId, placementId, outcome: "failed", code: "timeout" });
    await memory.erasures.confirm({ tenantKey, tombstoneId, placementId, proof: "unfindable", by: "clerk" });
    const [watched, listed] = [await watching, await listing];

    expect(watched.code).toBe(0);
    expect(linesOf(watched).at(-1)).toMatchObject({ command: "erasure", ok: true, receipt: { state: "complete" } });
    expect(linesOf(listed).at(-1)).toMatchObject({ erasures: [] });
  });

  test.each([
    ["erasure without an id", ["erasure"], 2, "erasure-id"],
    ["an erasure nobody has", ["erasure", NOBODYS], 1, "ERR_NOT_FOUND"],
    ["retry of none", ["retry", "nothing"], 1, "ERR_NOT_FOUND"],
    ["confirm without a copy", ["confirm", "x", "--proof", "absent"], 2, "--copy"],
    ["confirm of a promise", ["confirm", "x", "--copy", "y", "--proof", "requested"], 2, "Allowed choices"],
    ["attest for nothing", ["attest", "x", "--by", "dpo", "--reference", "CASE-1"], 2, "--closure"],
    ["attest without a record", ["attest", "x", "--closure", "--by", "dpo"], 2, "--reference"],
    ["attest with prose", ["attest", NOBODYS, "--closure", "--by", "dpo", "--reference", "he said so"], 2, "reference"],
    ["escalate without why", ["escalate", "x"], 2, "--code"],
    ["watch without an end", ["erasures", "--watch"], 2, "--open"],
    ["a wrong state", ["erasures", "--state", "done"], 2, "Allowed choices"],
    ["a wrong age", ["erasures", "--older-than", "old"], 2, "--older-than"],
    ["a wrong limit", ["erasures", "--limit", "many"], 2, "--limit"],
  ])("%s is told with what was expected", async (_case, args, code, expected) => {
    const { cli } = given.tenant();

    const refused = await cli(args);

    expect(refused).toMatchObject({ code, stdout: "" });
    expect(refused.stderr).toContain(expected);
  });
});

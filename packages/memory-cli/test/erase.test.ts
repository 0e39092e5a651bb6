import { expect, test } from "vitest";
import { documentOf } from "./support/run-main.js";
import { describeOnServer } from "./support/server-suite.js";

const RAMESH = "customer:ramesh";

interface ReceiptDocument {
  readonly exitCode: number;
  readonly receipt: { readonly tombstoneId: string; readonly state: string };
}

describeOnServer("forgetting from the command line", (given) => {
  test("a person named on standard input is erased with everything derived, and the receipt is one document", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const { memory: source } = await memory.remember({ tenantKey, subjectKey: RAMESH, text: "the reader is broken" });
    const { derived } = await memory.derive({
      tenantKey,
      kind: "summary",
      text: "one broken reader",
      sources: [{ sourceKind: "memory", sourceId: source.memoryId }],
    });

    const forgotten = await cli(
      ["forget", "--yes", "--json", "--legal-basis", "dpdp_12", "--requested-by", "data_principal"],
      { input: `${RAMESH}\n` },
    );

    expect(forgotten.code).toBe(0);
    expect(documentOf(forgotten)).toMatchObject({
      command: "forget",
      format: 1,
      ok: true,
      exitCode: 0,
      receipt: {
        state: "complete",
        legalBasis: "dpdp_12",
        requestedBy: { role: "data_principal" },
        subjectHashKeyed: true,
        counts: { memories: 1, derived: 1 },
      },
    });
    expect(await memory.getMemory(tenantKey, source.memoryId)).toBeNull();
    expect(await memory.getDerived(tenantKey, derived.derivedId)).toBeNull();
    expect(forgotten.stdout + forgotten.stderr).not.toContain(RAMESH);
  });

  test("a preview counts and erases nothing", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const { memory: row } = await memory.remember({ tenantKey, subjectKey: RAMESH, text: "still here" });

    const preview = await cli(["forget", "--preview", "--json", "--subject-stdin"], { input: RAMESH });

    expect(preview.code).toBe(0);
    expect(documentOf(preview)).toMatchObject({ ok: true, preview: { counts: { memories: 1, derived: 0 } } });
    expect(await memory.getMemory(tenantKey, row.memoryId)).not.toBeNull();
    expect((await cli(["forget", "--preview"], { input: RAMESH })).stdout).toContain("1 memory");
  });

  test("without --yes, and nobody to ask, it ends with 2, names the flag and erases nothing", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const { memory: row } = await memory.remember({ tenantKey, subjectKey: RAMESH, text: "still here" });

    const refused = await cli(["forget"], { input: RAMESH });

    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("--yes");
    expect(await memory.getMemory(tenantKey, row.memoryId)).not.toBeNull();
  });

  test.each([
    ["an argument", ["forget", "--yes", RAMESH]],
    ["a made-up option", ["forget", "--yes", `--subject=${RAMESH}`]],
    ["an option's value", ["forget", "--yes", "--reason", RAMESH]],
    ["a command", [RAMESH]],
  ])("a person's key as %s is refused with 2 and not repeated", async (_as, args) => {
    const { cli } = given.tenant();

    for (const json of [[], ["--json"]]) {
      const refused = await cli([...args, ...json], { input: "somebody" });

      expect(refused.code).toBe(2);
      expect(refused.stdout + refused.stderr).not.toContain("ramesh");
    }
  });

  test("while a copy in another system is not confirmed it ends with 4 and says what it waits for", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const { memory: row } = await memory.remember({ tenantKey, subjectKey: RAMESH, text: "copied elsewhere" });
    await memory.recordPlacement({
      tenantKey,
      sink: "search-index",
      ref: "doc-1",
      kind: "document",
      sources: [{ sourceKind: "memory", sourceId: row.memoryId }],
    });

    const forgotten = await cli(["forget", "--yes", "--wait", "1s"], { input: RAMESH });

    expect(forgotten.code).toBe(4);
    expect(forgotten.stdout).toContain("in progress; next to move: worker");
    expect(forgotten.stdout).toContain("1 copy in search-index");
    expect(forgotten.stdout).not.toContain("doc-1");
  });

  test("while a legal hold stands it ends with 1, and after its release with 0", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    await memory.remember({ tenantKey, subjectKey: RAMESH, text: "held" });
    const held = await cli(["hold", "--code", "litigation", "--json"], { input: RAMESH });
    const { holdId } = documentOf<{ holdId: string }>(held);

    const refused = await cli(["forget", "--yes", "--json"], { input: RAMESH });
    const listed = await cli(["holds", "--json"]);
    const released = await cli(["release", holdId]);
    const forgotten = await cli(["forget", "--yes", "--json"], { input: RAMESH });

    expect(refused.code).toBe(1);
    expect(documentOf(refused)).toMatchObject({ ok: false, exitCode: 1, error: { code: "ERR_LEGAL_HOLD" } });
    expect(documentOf(listed)).toMatchObject({ holds: [{ holdId, code: "litigation", releasedAt: null }] });
    expect(released.code).toBe(0);
    expect(documentOf<ReceiptDocument>(forgotten).receipt.state).toBe("complete");
  });

  test("chosen memories go, and the person's others stay", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const { memory: one } = await memory.remember({ tenantKey, subjectKey: RAMESH, text: "goes" });
    const { memory: other } = await memory.remember({ tenantKey, subjectKey: RAMESH, text: "stays" });

    const forgotten = await cli(["forget", "--yes", "--memory", one.memoryId, "--reason", "operator", "--json"]);

    expect(documentOf(forgotten)).toMatchObject({ receipt: { scope: "memories", reason: "operator" } });
    expect(await memory.getMemory(tenantKey, one.memoryId)).toBeNull();
    expect(await memory.getMemory(tenantKey, other.memoryId)).not.toBeNull();
  });

  test("the same request asked twice gets the same receipt", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    await memory.remember({ tenantKey, subjectKey: RAMESH, text: "once" });
    const ask = ["forget", "--yes", "--json", "--request-id", "ticket-7"];

    const first = documentOf<ReceiptDocument>(await cli(ask, { input: RAMESH }));
    const second = documentOf<ReceiptDocument>(await cli(ask, { input: RAMESH }));

    expect(second.receipt.tombstoneId).toBe(first.receipt.tombstoneId);
  });

  test("without a pepper it says that the hash can be guessed", async () => {
    const { cli } = given.tenant();

    const forgotten = await cli(["forget", "--yes"], { input: "nobody", env: { DEMYSTIFY_MEMORY_PEPPER: "" } });

    expect(forgotten.code).toBe(0);
    expect(forgotten.stderr).toContain("no pepper is set");
    expect(forgotten.stdout).toContain("we looked and found nothing");
  });
});

describeOnServer("restricting, expiring, correcting", (given) => {
  test("a restricted person cannot be read until the restriction is lifted", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const { memory: row } = await memory.remember({ tenantKey, subjectKey: RAMESH, text: "hidden for a while" });

    const restricted = await cli(["restrict", "--basis", "gdpr_18_1_a", "--json"], { input: RAMESH });
    const hidden = await memory.getMemory(tenantKey, row.memoryId);
    const lifted = await cli(["lift", documentOf<{ restrictionId: string }>(restricted).restrictionId]);

    expect(restricted.code).toBe(0);
    expect(hidden).toBeNull();
    expect(lifted.code).toBe(0);
    expect(await memory.getMemory(tenantKey, row.memoryId)).not.toBeNull();
  });

  test("what is past its expiry goes, in as many batches as it takes", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    for (const subjectKey of ["a", "b", "c"]) {
      await memory.remember({
        tenantKey,
        subjectKey,
        text: `old words of ${subjectKey}`,
        expiresAt: "2020-01-01T00:00:00Z",
      });
    }
    const { memory: young } = await memory.remember({ tenantKey, subjectKey: "a", text: "young words" });

    const expired = await cli(["expire", "--batch", "1", "--json"]);

    expect(expired.code).toBe(0);
    expect(documentOf(expired)).toMatchObject({ memories: 3, skippedHeld: 0, open: [] });
    expect(await memory.getMemory(tenantKey, young.memoryId)).not.toBeNull();
  });

  test("a corrected text is read from standard input, masked, and the old one erased", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const { memory: row } = await memory.remember({ tenantKey, subjectKey: RAMESH, text: "lives in Pune" });

    const corrected = await cli(["correct", row.memoryId, "--json"], { input: "lives in Delhi, call 9876543210\n" });
    const { memoryId } = documentOf<{ memoryId: string }>(corrected);

    expect(corrected.code).toBe(0);
    expect(documentOf(corrected)).toMatchObject({
      redactions: 1,
      receipt: { state: "complete", origin: "correction" },
    });
    expect((await memory.getMemory(tenantKey, memoryId))?.text).toBe("lives in Delhi, call [PHONE:****3210]");
    expect(await memory.getMemory(tenantKey, row.memoryId)).toBeNull();
    expect(corrected.stdout).not.toContain("Delhi");
  });

  test.each([
    ["restrict without a basis", ["restrict"], "--basis"],
    ["hold without a code", ["hold"], "--code"],
    ["hold until no time", ["hold", "--code", "contract", "--until", "soon"], "until"],
    ["hold without a person", ["hold", "--code", "contract"], "held no subject key"],
    ["lift without an id", ["lift"], "restriction-id"],
    ["expire with a wrong batch", ["expire", "--batch", "0"], "--batch"],
    ["correct without a text", ["correct", "018f0000-0000-7000-8000-000000000000"], "held no text"],
    ["forget with a wrong duration", ["forget", "--yes", "--wait", "soon"], "--wait"],
    ["forget with two minds", ["forget", "--yes", "--preview"], "--preview"],
    ["forget without a tenant", ["forget", "--yes", "--tenant", ""], "no tenant"],
  ])("%s ends with 2 and says what was expected", async (_case, args, expected) => {
    const { cli } = given.tenant();
    const input = expected.startsWith("held no") ? "" : "somebody";

    const refused = await cli(args, { input, env: args.includes("--tenant") ? { DEMYSTIFY_MEMORY_TENANT: "" } : {} });

    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(expected);
  });

  test.each(["lift", "release"])("%s of what is not there ends with 1", async (command) => {
    const { cli } = given.tenant();

    const refused = await cli([command, "x"]);

    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("ERR_NOT_FOUND");
  });
});

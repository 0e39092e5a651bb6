import { expect, test } from "vitest";
import { describeNative } from "./sqlreal/databases.js";
import { insertMemory, liveRows } from "./sqlreal/rows.js";
import { libraryOn, outcomeOf, untilBlocked } from "./sqlreal/sessions.js";

const SUBJECT = { subjectKey: "customer:ramesh" };

describeNative("a legal hold placed while rows are being destroyed", (given) => {
  test("waits until a direct DELETE has ended, so that nothing goes once it is in force", async () => {
    const tenantKey = given.freshTenant();
    const memory = await insertMemory(given.sql, { tenantKey, ...SUBJECT });
    const [deleting, holding] = [await given.connect(), await given.connect("app")];
    await deleting.query("begin");
    await deleting.query("delete from demystify_memory.memory where memory_id = $1", [memory]);

    const placing = libraryOn(holding).holds.place({ tenantKey, ...SUBJECT, code: "litigation" });
    await untilBlocked(given.sql, holding);
    await deleting.query("rollback");

    await placing;
    expect(await outcomeOf(deleting.query("delete from demystify_memory.memory where memory_id = $1", [memory]))).toBe(
      "ME007",
    );
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 0 });
  });

  test("waits for the step of an erasure that destroys, and the erasure is then complete", async () => {
    const tenantKey = given.freshTenant();
    await insertMemory(given.sql, { tenantKey, ...SUBJECT });
    const [erasing, holding] = [await given.connect("app"), await given.connect("app")];
    const { tombstoneId } = await libraryOn(erasing).erasures.open({ tenantKey, ...SUBJECT });
    await erasing.query("begin");
    await erasing.query("select demystify_memory.advance_erasure($1, $2, 1000)", [tenantKey, tombstoneId]);

    const placing = libraryOn(holding).holds.place({ tenantKey, ...SUBJECT, code: "litigation" });
    await untilBlocked(given.sql, holding);
    await erasing.query("commit");

    await placing;
    expect(await libraryOn(erasing).erasures.resume({ tenantKey, tombstoneId })).toMatchObject({ state: "complete" });
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 0, derived: 0 });
  });

  test("makes the next step of the erasure escalate instead of destroying", async () => {
    const tenantKey = given.freshTenant();
    await insertMemory(given.sql, { tenantKey, ...SUBJECT });
    const memory = given.memory();
    const { tombstoneId } = await memory.erasures.open({ tenantKey, ...SUBJECT });

    await memory.holds.place({ tenantKey, ...SUBJECT, code: "litigation" });

    expect(await memory.erasures.resume({ tenantKey, tombstoneId })).toMatchObject({
      state: "escalated",
      escalation: { code: "hold_conflict" },
    });
    expect(await liveRows(given.sql, tenantKey)).toEqual({ memories: 1, derived: 0 });
  });
});

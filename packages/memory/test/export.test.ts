import { describe, expect, test } from "vitest";
import type { ExportedRow } from "../src/index.js";
import { aMemory, aSummaryOf, inTurn, LONG_AGO } from "./support/builders.js";
import { aCopyOf, collect, forgetIncompletely } from "./support/copies.js";
import { describeEachStore } from "./support/stores.js";

const SUBJECT = "customer:ramesh";
const PRIYA = "customer:priya";

describeEachStore("exportSubject", (given) => {
  test("gives a person's memories, what was derived from them, and where copies are", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey, metadata: { plan: "gold" } }));
    const summary = await memory.derive(aSummaryOf(source));
    const { placement } = await memory.recordPlacement(aCopyOf(summary));
    await memory.remember(aMemory({ tenantKey, subjectKey: PRIYA }));

    const rows = await collect(memory.exportSubject({ tenantKey, subjectKey: SUBJECT }));

    expect(rows).toEqual([
      { kind: "memory", row: source.memory },
      { kind: "derived", row: summary.derived },
      { kind: "placement", row: placement },
    ]);
  });

  test("shows what has expired, and says so", async () => {
    const { memory, tenantKey } = await given.tenant();
    const { memory: row } = await memory.remember(aMemory({ tenantKey, expiresAt: LONG_AGO }));

    const rows = await collect(memory.exportSubject({ tenantKey, subjectKey: SUBJECT }));

    expect(rows).toEqual([{ kind: "memory", row: { ...row, expired: true } }]);
  });

  test("shows nothing that is being erased", async () => {
    const { memory, tenantKey } = await given.tenant();
    const source = await memory.remember(aMemory({ tenantKey }));
    await memory.derive(aSummaryOf(source));
    await memory.erasures.open({ tenantKey, subjectKey: SUBJECT });

    expect(await collect(memory.exportSubject({ tenantKey, subjectKey: SUBJECT }))).toEqual([]);
  });

  describe("of a row that also concerns others", () => {
    test("gives no content and no key of theirs", async () => {
      const { memory, tenantKey } = await given.tenant();
      const ramesh = await memory.remember(aMemory({ tenantKey }));
      const priya = await memory.remember(aMemory({ tenantKey, subjectKey: PRIYA, text: "has a debt" }));
      const joint = await memory.remember(
        aMemory({ tenantKey, alsoAbout: [PRIYA, "customer:asha"], text: "a joint account", kind: "note" }),
      );
      const digest = await memory.derive({ ...aSummaryOf(ramesh, priya), text: "one has a debt", kind: "digest" });
      const { placement } = await memory.recordPlacement({ ...aCopyOf(digest), ref: `/${PRIYA}/digest` });

      const rows = await collect(memory.exportSubject({ tenantKey, subjectKey: SUBJECT }));

      const withheld = { text: null, withheld: "others" };
      expect(rows).toEqual([
        { kind: "memory", row: ramesh.memory },
        { kind: "memory", row: { id: joint.memory.memoryId, kind: "note", otherSubjects: 2, ...withheld } },
        { kind: "derived", row: { id: digest.derived.derivedId, kind: "digest", otherSubjects: 1, ...withheld } },
        { kind: "placement", row: { ...placement, ref: null } },
      ]);
      expect(JSON.stringify(rows)).not.toMatch(/debt|joint|priya|asha/);
    });

    test("gives the content where the host asks for it, and still no key of theirs", async () => {
      const { memory, tenantKey } = await given.tenant();
      const joint = await memory.remember(aMemory({ tenantKey, alsoAbout: [PRIYA], text: "a joint account" }));
      const digest = await memory.derive({ ...aSummaryOf(joint), text: "they have an account" });
      const { placement } = await memory.recordPlacement(aCopyOf(digest));

      const rows = await collect(memory.exportSubject({ tenantKey, subjectKey: PRIYA, includeShared: true }));

      expect(rows).toEqual([
        { kind: "memory", row: { ...joint.memory, subjectKey: null, alsoAbout: [] } },
        { kind: "derived", row: digest.derived },
        { kind: "placement", row: placement },
      ]);
      expect(JSON.stringify(rows)).not.toContain(SUBJECT);
    });
  });

  test("streams page after page, each row once", async () => {
    const { memory, tenantKey } = await given.tenant();
    const texts = Array.from({ length: 1203 }, (_, n) => aMemory({ tenantKey, text: `note ${n}` }));
    await memory.rememberMany(texts);

    const rows = await collect(memory.exportSubject({ tenantKey, subjectKey: SUBJECT }));

    const ids = rows.map(({ row }) => ("memoryId" in row ? row.memoryId : ""));
    expect(ids).toHaveLength(1203);
    expect(new Set(ids).size).toBe(1203);
    expect([...ids].sort()).toEqual(ids);
  });

  test("of nobody is empty, and bad input is refused before anything is read", async () => {
    const { memory, tenantKey } = await given.tenant();

    expect(await collect(memory.exportSubject({ tenantKey, subjectKey: "nobody" }))).toEqual([]);
    expect(() => memory.exportSubject({ tenantKey, subjectKey: " " })).toThrow(/subjectKey/);
    expect(() => memory.exportSubject({ tenantKey } as never)).toThrow(/subjectKey/);
  });

  test("names the same rows as the preview and as the erasure", async () => {
    const { memory, tenantKey } = await given.tenant();
    const sources = await inTurn([SUBJECT, SUBJECT, PRIYA], (subjectKey) =>
      memory.remember(aMemory({ tenantKey, subjectKey, alsoAbout: subjectKey === PRIYA ? ["customer:asha"] : [] })),
    );
    const [one, two, three] = sources as [(typeof sources)[0], (typeof sources)[0], (typeof sources)[0]];
    const pair = await memory.derive(aSummaryOf(one, three));
    await memory.derive(aSummaryOf(pair, two));
    await memory.derive(aSummaryOf(three));
    await memory.recordPlacement(aCopyOf(pair));
    await memory.recordPlacement({ ...aCopyOf(three), ref: "not his" });

    const exported = await collect(memory.exportSubject({ tenantKey, subjectKey: SUBJECT }));
    const preview = await memory.previewForget({ tenantKey, subjectKey: SUBJECT });
    const { tombstoneId } = await forgetIncompletely(memory, { tenantKey, subjectKey: SUBJECT });

    const [line] = await collect(memory.erasures.exportTombstones({ tenantKey }));
    const erased = JSON.parse(line!) as Record<string, unknown>;
    expect(idsIn(exported)).toEqual(preview.ids);
    expect(erased).toMatchObject({
      tombstoneId,
      memoryIds: preview.ids.memories,
      derivedIds: preview.ids.derived,
      placementIds: preview.ids.placements,
    });
    expect(preview.counts).toMatchObject({ memories: 2, derived: 2, placements: 1 });
  });
});

function idsIn(rows: readonly ExportedRow[]) {
  const of = (kind: ExportedRow["kind"], name: string) =>
    rows
      .filter((exported) => exported.kind === kind)
      .map(({ row }) => String((row as unknown as Record<string, unknown>)[name in row ? name : "id"]))
      .sort();
  return {
    memories: of("memory", "memoryId"),
    derived: of("derived", "derivedId"),
    placements: of("placement", "placementId"),
  };
}

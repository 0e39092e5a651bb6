import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lanceDbSink, tagOf, type CopyTag, type LanceTable } from "../../src/index.js";
import { sinkConformanceCases } from "../../src/testing/index.js";
import { realPackage, realSinksAreMissing } from "../support/real-sinks.js";
import { describeWhere } from "../support/where-available.js";

interface LanceModule {
  connect(path: string): Promise<{
    createTable(name: string, rows: readonly Readonly<Record<string, unknown>>[]): Promise<LanceTable>;
    openTable(name: string): Promise<LanceTable>;
  }>;
}

const call = { signal: AbortSignal.timeout(600_000) };

describeWhere(await realSinksAreMissing(), "the lancedb sink, on a real table", () => {
  let folder: string;
  let db: Awaited<ReturnType<LanceModule["connect"]>>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "memory-worker-lance-"));
    const lance = await realPackage<LanceModule>("@lancedb/lancedb/dist/index.js");
    db = await lance.connect(folder);
    await db.createTable("notes", [rowOf({ placementId: "first", tenantTag: "" }, "first", "the first row")]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const rowOf = (tag: CopyTag, id: string, text: string) => ({
    id,
    placement_id: tag.placementId,
    tenant_tag: tag.tenantTag,
    text,
    vector: [1, 2],
  });
  const open = () => db.openTable("notes");
  const write = async (tag: CopyTag, text: string) => {
    const id = randomUUID();
    await (await open()).add([rowOf(tag, id, text)]);
    return id;
  };
  const dump = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
      .join("\n");
  const options = () => ({
    name: "vectors",
    open,
    controlRow: { text: "", vector: [0, 0] },
    dataFolder: folder,
    deleteUnverified: true,
  });

  describe("with its earlier versions removed", () => {
    const cases = sinkConformanceCases({
      createSink: () => lanceDbSink(options()),
      write: (_sink, tag, text) => write(tag, text),
      dump,
    });
    for (const { name, run } of cases) test(name, run);
  });

  test("after an acknowledged delete an earlier version still shows the row", async () => {
    const copy = { tenantKey: "acme", placementId: randomUUID(), kind: "embedding" };
    const ref = await write(tagOf(copy), "needleintheversion");
    const sink = lanceDbSink(options());
    const before = (await (await open()).listVersions()).map(({ version }) => version).sort((a, b) => b - a)[0];

    await sink.destroy({ ...copy, ref }, call);

    expect(await sink.readBackById?.({ ...copy, ref }, call)).toBe("absent");
    const earlier = await open();
    await earlier.checkout(before ?? 0);
    expect(await earlier.countRows(`id = '${ref}'`)).toBe(1);
    expect(dump()).toContain("needleintheversion");
  });

  test("a purge that may not remove what is left of the versions says so", async () => {
    const copy = { tenantKey: "acme", placementId: randomUUID(), kind: "embedding" };
    const ref = await write(tagOf(copy), "needlethatstays");
    const sink = lanceDbSink({ ...options(), open: async () => withoutOptimize(await open()) });
    await sink.destroy({ ...copy, ref }, call);

    expect(await sink.purge?.({ ...copy, ref }, call)).toBe("present");
  });

  test("a quote in a ref is part of it, and reaches no other row", async () => {
    const copy = { tenantKey: "acme", placementId: randomUUID(), kind: "embedding", ref: "x' or '1' = '1" };
    const rows = await (await open()).countRows();

    await lanceDbSink(options()).destroy(copy, call);

    expect(await (await open()).countRows()).toBe(rows);
  });
});

/** A table whose owner keeps its versions. */
function withoutOptimize(table: LanceTable): LanceTable {
  return new Proxy(table, {
    get(target, property) {
      if (property === "optimize") return async () => undefined;
      const value: unknown = Reflect.get(target, property);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

import { expect, test } from "vitest";
import { documentOf, linesOf } from "./support/run-main.js";
import { describeOnServer } from "./support/server-suite.js";

interface Receipt {
  readonly receipt: { readonly tombstoneId: string; readonly subjectHash: string };
}

describeOnServer("proving", (given) => {
  test("a receipt is printed as JSON, Markdown or one HTML page, and none holds the person", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    await memory.remember({ tenantKey, subjectKey: "customer:ramesh", text: "the reader is broken" });
    const forgotten = await cli(["forget", "--yes", "--json", "--legal-basis", "gdpr_17_1_b"], {
      input: "customer:ramesh",
    });
    const { tombstoneId, subjectHash } = documentOf<Receipt>(forgotten).receipt;

    const json = await cli(["receipt", tombstoneId, "--format", "json"]);
    const md = await cli(["receipt", tombstoneId]);
    const html = await cli(["receipt", tombstoneId, "--format", "html"]);

    expect([json.code, md.code, html.code]).toEqual([0, 0, 0]);
    expect(documentOf(json)).toEqual(await memory.erasures.status({ tenantKey, tombstoneId }));
    for (const page of [md, html]) {
      expect(page.stdout).toContain("every recorded copy was confirmed gone");
      expect(page.stdout).toContain("What was not reached, and why");
      expect(page.stdout).toContain("backups made before it still hold the rows");
      expect(page.stdout).toContain("consent withdrawn");
      expect(page.stdout).toContain(subjectHash);
      expect(page.stdout).not.toMatch(/ramesh|reader/);
    }
  });

  test("the receipt of an open erasure ends with 4 and does not read as a success", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    await memory.remember({ tenantKey, subjectKey: "customer:ramesh", text: "half-way" });
    const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: "customer:ramesh" });

    const page = await cli(["receipt", tombstoneId, "--format", "html"]);

    expect(page.code).toBe(4);
    expect(page.stdout).toContain("<title>Erasure receipt (not complete)</title>");
    expect(page.stdout).toContain("This erasure is NOT complete");
    expect(page.stdout).toContain("What is still open");
  });

  test("the history is the tenant's, or one person's, and pages", async () => {
    const { cli } = given.tenant();
    for (const person of ["a", "b"]) await cli(["forget", "--yes"], { input: person });

    const all = documentOf<{ tombstones: { tombstoneId: string }[] }>(await cli(["history", "--json"])).tombstones;
    const one = await cli(["history", "--subject-stdin", "--json"], { input: "a" });
    const next = await cli(["history", "--json", "--limit", "1", "--before", all[0]?.tombstoneId ?? ""]);

    expect(all).toHaveLength(2);
    expect(documentOf(one)).toMatchObject({ tombstones: [{ tombstoneId: all[1]?.tombstoneId, matched: false }] });
    expect(documentOf(next)).toMatchObject({ tombstones: [{ tombstoneId: all[1]?.tombstoneId }] });
    expect((await cli(["history"])).stdout).toContain(all[0]?.tombstoneId);
  });

  test("a fingerprint is the hash that the evidence holds, and needs no database", async () => {
    const { cli } = given.tenant();
    const forgotten = await cli(["forget", "--yes", "--json"], { input: "customer:ramesh" });

    const fingerprint = await cli(["fingerprint"], { input: "customer:ramesh\n", env: { DATABASE_URL: "" } });
    const unkeyed = await cli(["fingerprint", "--json"], {
      input: "customer:ramesh",
      env: { DATABASE_URL: "", DEMYSTIFY_MEMORY_PEPPER: "" },
    });

    expect(fingerprint).toMatchObject({ code: 0, stdout: `${documentOf<Receipt>(forgotten).receipt.subjectHash}\n` });
    expect(documentOf(unkeyed)).toMatchObject({ keyed: false });
    expect(unkeyed.stderr).toContain("can be guessed");
  });

  test("an export is one JSON object a line, with what others share withheld unless it is asked for", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    await memory.remember({ tenantKey, subjectKey: "a", text: "mine alone" });
    await memory.remember({ tenantKey, subjectKey: "a", alsoAbout: ["b"], text: "said by both" });

    const exported = await cli(["export", "--subject-stdin"], { input: "a" });
    const shared = await cli(["export", "--subject-stdin", "--include-shared"], { input: "a" });

    expect(exported.code).toBe(0);
    expect(linesOf<{ row: { text: string | null } }>(exported).map(({ row }) => row.text)).toEqual(
      expect.arrayContaining(["mine alone", null]) as unknown,
    );
    expect(exported.stdout).not.toContain("said by both");
    expect(shared.stdout).toContain("said by both");
    expect(exported.stderr).toContain("2 rows written");
  });

  test("a lineage is text, JSON, or a drawing with true edges", async () => {
    const { cli, memory, tenantKey } = given.tenant();
    const { memory: source } = await memory.remember({ tenantKey, subjectKey: "a", text: "said" });
    const from = (sourceId: string, sourceKind: "memory" | "derived") => [{ sourceKind, sourceId }];
    const { derived: weekly } = await memory.derive({
      tenantKey,
      kind: "weekly",
      text: "week",
      sources: from(source.memoryId, "memory"),
    });
    const { derived: monthly } = await memory.derive({
      tenantKey,
      kind: "monthly",
      text: "month",
      sources: from(weekly.derivedId, "derived"),
    });
    await memory.recordPlacement({
      tenantKey,
      sink: "cache",
      ref: "r",
      kind: "entry",
      sources: from(source.memoryId, "memory"),
    });
    const node = (id: string) => `n${id.replaceAll("-", "")}`;

    const text = await cli(["lineage", source.memoryId]);
    const json = await cli(["lineage", weekly.derivedId, "--format", "json"]);
    const dot = await cli(["lineage", source.memoryId, "--format", "dot"]);
    const mermaid = await cli(["lineage", monthly.derivedId, "--kind", "derived", "--format", "mermaid"]);

    expect(text.stdout).toContain(`memory ${source.memoryId}`);
    expect(text.stdout).toContain(`    derived ${monthly.derivedId}`);
    expect(text.stdout).toContain("cache ");
    expect(documentOf(json)).toMatchObject({
      kind: "derived",
      ancestors: [{ id: source.memoryId, depth: 1 }],
      descendants: [{ id: monthly.derivedId, depth: 1 }],
      edges: expect.arrayContaining([{ from: source.memoryId, to: weekly.derivedId }]) as unknown,
    });
    expect(dot.stdout).toContain(`${node(weekly.derivedId)} -> ${node(monthly.derivedId)};`);
    expect(dot.stdout).toMatch(/^digraph lineage \{\n[\s\S]*\n\}\n$/);
    expect(mermaid.stdout).toContain(`${node(source.memoryId)} --> ${node(weekly.derivedId)}`);
    expect(mermaid.stdout).not.toContain(`${node(source.memoryId)} --> ${node(monthly.derivedId)}`);
  });

  test.each([
    ["a receipt of nothing", ["receipt", "nothing"], 1, "ERR_NOT_FOUND"],
    ["a receipt as a picture", ["receipt", "x", "--format", "pdf"], 2, "Allowed choices"],
    ["a lineage of nothing", ["lineage", "nothing"], 1, "no such row"],
    ["a lineage without an id", ["lineage"], 2, "id"],
    ["an export of nobody", ["export"], 2, "held no subject key"],
    ["a fingerprint of nobody", ["fingerprint"], 2, "held no subject key"],
    ["a history with a wrong limit", ["history", "--limit", "0"], 2, "--limit"],
    ["an export with a person as argument", ["export", "customer:ramesh"], 2, "too many arguments"],
  ])("%s is told with what was expected", async (_case, args, code, expected) => {
    const { cli } = given.tenant();

    const refused = await cli(args);

    expect(refused).toMatchObject({ code, stdout: "" });
    expect(refused.stderr).toContain(expected);
    expect(refused.stderr).not.toContain("ramesh");
  });
});

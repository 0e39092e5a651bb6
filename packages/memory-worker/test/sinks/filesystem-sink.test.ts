import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesystemPath, filesystemSink, tenantTag } from "../../src/index.js";
import { sinkConformanceCases } from "../../src/testing/index.js";

const call = { signal: new AbortController().signal };

describe("the filesystem sink", () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "memory-worker-files-"));
  });
  afterAll(() => {
    rmSync(root, { recursive: true });
  });

  const cases = sinkConformanceCases({
    createSink: () => filesystemSink({ name: "exports", root }),
    write: async (_sink, tag, text) => {
      const ref = filesystemPath(tag, `${randomUUID()}.json`);
      mkdirSync(dirname(join(root, ref)), { recursive: true });
      writeFileSync(join(root, ref), text);
      return ref;
    },
  });
  for (const { name, run } of cases) test(name, run);

  const copyAt = (ref: string) => ({ tenantKey: "acme", placementId: randomUUID(), ref, kind: "export" });

  test.each(["../outside.json", ".", "", "a/../../outside.json"])(
    "a ref that leads out of the folder (%j) is refused",
    async (ref) => {
      const outside = join(dirname(root), "outside.json");
      writeFileSync(outside, "of somebody else");

      await expect(filesystemSink({ name: "exports", root }).destroy(copyAt(ref), call)).rejects.toMatchObject({
        code: "ERR_SINK_REFUSED",
      });

      const looking = filesystemSink({ name: "exports", root }).readBackById?.(copyAt(ref), call);
      await expect(looking).rejects.toMatchObject({ code: "ERR_SINK_REFUSED" });
      expect(existsSync(outside) && existsSync(root)).toBe(true);
      rmSync(outside);
    },
  );

  test("a link on the way does not lead out of it either", async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "memory-worker-elsewhere-"));
    writeFileSync(join(elsewhere, "file.json"), "of somebody else");
    symlinkSync(elsewhere, join(root, "link"));

    await expect(
      filesystemSink({ name: "exports", root }).destroy(copyAt("link/file.json"), call),
    ).rejects.toMatchObject({ code: "ERR_SINK_REFUSED" });

    expect(existsSync(join(elsewhere, "file.json"))).toBe(true);
    rmSync(elsewhere, { recursive: true });
    rmSync(join(root, "link"));
  });

  test("a folder that is not there proves nothing: it is an error, never an absence", async () => {
    const sink = filesystemSink({ name: "exports", root: join(root, "not-mounted") });

    await expect(sink.readBackById?.(copyAt("file.json"), call)).rejects.toMatchObject({ code: "ERR_SINK_NOT_FOUND" });
    await expect(sink.destroy(copyAt("file.json"), call)).rejects.toMatchObject({ code: "ERR_SINK_NOT_FOUND" });
  });

  test("a file beside the folders of the tags is listed without one", async () => {
    const tenant = tenantTag("globex");
    mkdirSync(join(root, tenant));
    writeFileSync(join(root, tenant, "stray.json"), "nobody recorded this");

    const listed = [];
    const sink = filesystemSink({ name: "exports", root });
    for await (const entry of sink.enumerate?.(tenant, call) ?? []) listed.push(entry);

    expect(listed).toEqual([{ ref: join(tenant, "stray.json"), placementId: null }]);
  });
});

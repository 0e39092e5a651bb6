import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { legTitle, requestedLegs } from "../../memory/test/support/legs.js";
import { temporaryFolder } from "./support/input.js";
import { documentOf, run } from "./support/run-main.js";

describe.runIf(requestedLegs().includes("pglite"))(legTitle("the embedded Postgres in a folder", "pglite"), () => {
  const folder = temporaryFolder();

  test("is made by migrate and by nothing else, and goes from there to a receipt", async () => {
    const embedded = ["--embedded", join(folder, "database")];
    const env = { DEMYSTIFY_MEMORY_TENANT: "acme", DATABASE_URL: "postgres://unused.invalid/never" };
    const file = join(folder, "messages.jsonl");
    writeFileSync(file, `{"subject":"a","text":"words of a"}\n{"subject":"b","text":"words of b"}\n`);

    const missing = await run(["verify", ...embedded], { env });
    const made = existsSync(join(folder, "database"));
    const migrated = await run(["migrate", "--json", ...embedded], { env });
    const imported = await run(["import", file, "--json", ...embedded], { env });
    const forgotten = await run(["forget", "--yes", "--json", ...embedded], { env, input: "a" });
    const scanned = await run(["scan", ...embedded], { env, input: "words of a" });
    const examined = await run(["doctor", "--json", ...embedded], { env });

    expect([missing.code, made]).toEqual([2, false]);
    expect(missing.stderr).toContain("migrate --embedded");
    expect(documentOf(migrated)).toMatchObject({ ok: true, applied: expect.arrayContaining([1]) as unknown });
    expect(documentOf(imported)).toMatchObject({ stored: 2 });
    expect(documentOf(forgotten)).toMatchObject({ receipt: { state: "complete", counts: { memories: 1 } } });
    expect(scanned).toMatchObject({ code: 0, stdout: expect.stringContaining("Not found.") as string });
    expect(examined.code).toBe(0);
  }, 240_000);
});

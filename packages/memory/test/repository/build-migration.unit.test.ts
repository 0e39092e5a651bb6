import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const MODULE = "src/adapters/postgres/migrations.generated.ts";

describe("the migration builder", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "demystify-memory-build-"));
    write("scripts/.keep", "");
    for (const script of ["build-migration.mjs", "schema-pins.mjs"]) {
      copyFileSync(fileURLToPath(new URL(`../../scripts/${script}`, import.meta.url)), join(root, "scripts", script));
    }
  });
  afterEach(() => {
    rmSync(root, { recursive: true, force: true });
  });

  test("joins the concerns in the order of their names", () => {
    write("sql/0001_memory/20_b.sql", "select 'b';\n\n");
    write("sql/0001_memory/10_a.sql", "\nselect 'a';\n");

    expect(build().status).toBe(0);

    expect(read("migrations/0001_memory.sql")).toMatch(/^-- Generated from .*\n\nselect 'a';\n\nselect 'b';\n$/);
  });

  test("puts every check where they are included, as one query", () => {
    write("sql/0001_memory/90_verify.sql", "begin\n  -- @include checks\nend;");
    write("sql/checks/b.sql", "-- why b\nselect 'b' as check_name, true as ok\n");
    write("sql/checks/a.sql", "select 'a' as check_name, '$1 $& stays' as ok");

    expect(build().status).toBe(0);

    expect(read("migrations/0001_memory.sql")).toContain(
      "begin\nselect 'a' as check_name, '$1 $& stays' as ok\n\nunion all\n\n" +
        "-- why b\nselect 'b' as check_name, true as ok\nend;",
    );
  });

  test("writes out a shared rule wherever it is named, indented like its line", () => {
    write("sql/rules/seen.sql", "-- who sees a row\nnot {row}.hidden\nand {row}.tenant = {with}\n");
    write("sql/0001_memory/10.sql", "select 1\n   where {{seen m p_$&tenant}} and {{seen d x}};");

    expect(build().status).toBe(0);

    expect(read("migrations/0001_memory.sql")).toContain(
      "   where (not m.hidden\n       and m.tenant = p_$&tenant) and (not d.hidden\n       and d.tenant = x);",
    );
  });

  test("writes the same SQL as a module, character for character", async () => {
    const hazards = "select '`${x}\\n\\\\', $$ ${y} $$, 'नमस्ते';";
    write("sql/0001_memory/00.sql", hazards);
    write("sql/0002_later/00.sql", "select 2;");

    expect(build().status).toBe(0);

    const source = read(MODULE)
      .replace(/export interface [^}]*\}/, "")
      .replace(": readonly Migration[]", "");
    write("module.mjs", source);
    const built = (await import(/* @vite-ignore */ join(root, "module.mjs"))) as { MIGRATIONS: unknown };
    expect(built.MIGRATIONS).toEqual([
      { version: 1, name: "0001_memory", sql: read("migrations/0001_memory.sql") },
      { version: 2, name: "0002_later", sql: read("migrations/0002_later.sql") },
    ]);
    expect(read("migrations/0001_memory.sql")).toContain(hazards);
  });

  test("--check passes on what it built, fails on a stale file, and writes nothing", () => {
    write("sql/0001_memory/00.sql", "select 1;");
    expect(build("--check").status).toBe(1);
    build();
    expect(build("--check").status).toBe(0);

    write("sql/0001_memory/00.sql", "select 2;");

    const check = build("--check");
    expect(check.status).toBe(1);
    expect(check.stderr).toContain("migrations/0001_memory.sql is not what sql/ says");
    expect(read("migrations/0001_memory.sql")).toContain("select 1;");
  });

  test.each([
    ["an empty migration", { "sql/0001_memory/readme.txt": "" }, "no .sql file"],
    ["a gap in the numbers", { "sql/0001_a/0.sql": "select 1;", "sql/0003_c/0.sql": "select 1;" }, "without a gap"],
    [
      "a check that ends in a semicolon",
      { "sql/0001_a/0.sql": "-- @include checks", "sql/checks/x.sql": "select 1;" },
      "without a semicolon",
    ],
    ["checks included where there are none", { "sql/0001_a/0.sql": "-- @include checks" }, "there is none"],
  ])("refuses %s", (_what, files, message) => {
    for (const [path, content] of Object.entries(files)) write(path, content);

    const result = build();

    expect(result.status).toBe(1);
    expect(result.stderr).toContain(message);
  });

  function build(...args: string[]) {
    return spawnSync(process.execPath, [join(root, "scripts", "build-migration.mjs"), ...args], { encoding: "utf8" });
  }
  function read(path: string): string {
    return readFileSync(join(root, path), "utf8");
  }
  function write(path: string, content: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
});

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { requestedLegs } from "./legs.js";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const REPORTER = fileURLToPath(new URL("leg-reporter.ts", import.meta.url));

describe("the summary of stores", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "demystify-memory-legs-"));
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    writeFileSync(
      join(folder, "vitest.config.ts"),
      `import { LegReporter } from ${JSON.stringify(REPORTER)};
       export default { test: { reporters: [new LegReporter()] } };`,
    );
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test("a run in which every store ran a test passes", () => {
    suite("a.test.ts", "[in-memory]", "[pglite]");
    suite("b.test.ts", "[postgres]");

    const { status, output } = run();

    expect(output).toContain("Store  in-memory: 1 passed, 0 failed, 0 skipped");
    expect(output).toContain("Store  postgres: 1 passed, 0 failed, 0 skipped");
    expect(status).toBe(0);
  });

  test("a run in which a store ran nothing fails, though no test failed", () => {
    suite("a.test.ts", "[in-memory]", "[pglite]");
    suite("b.test.ts", "of no store");

    const { status, output } = run();

    expect(output).toContain("no test ran on postgres: the run fails");
    expect(status).toBe(1);
  });

  test("a run of chosen files may leave a store out", () => {
    suite("a.test.ts", "[in-memory]");
    suite("b.test.ts", "of no store");

    expect(run("a.test.ts").status).toBe(0);
  });

  test("only the stores that were asked for are expected", () => {
    suite("a.test.ts", "[in-memory]");

    expect(run().status).toBe(1);
    expect(run("--environment=node", { STORES: "in-memory" }).status).toBe(0);
    expect(requestedLegs("postgres, in-memory")).toEqual(["in-memory", "postgres"]);
    expect(() => requestedLegs("postgre")).toThrow("no such store: postgre");
  });

  function suite(file: string, ...titles: string[]): void {
    const body = titles.map((title) => `describe("suite ${title}", () => { test("runs", () => {}); });`);
    writeFileSync(join(folder, file), `import { describe, test } from "vitest";\n${body.join("\n")}\n`);
  }

  function run(argument = "--environment=node", environment: Record<string, string> = {}) {
    const bin = join(ROOT, "node_modules/vitest/vitest.mjs");
    const inherited = { PATH: process.env["PATH"] };
    const result = spawnSync(process.execPath, [bin, "run", "--root", folder, argument], {
      cwd: folder,
      encoding: "utf8",
      env: { ...inherited, ...environment },
    });
    return { status: result.status, output: result.stdout + result.stderr };
  }
});

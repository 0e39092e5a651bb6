import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** A file that breaks one rule, by what it imports. */
interface Planted {
  readonly rule: string;
  readonly file: string;
  readonly imports: string;
}

const core = (rule: string, file: string, imports: string): Planted => ({
  rule,
  file: `packages/memory/src/${file}`,
  imports,
});

const PLANTED: readonly Planted[] = [
  core("domain-is-pure", "domain/planted.ts", "../ports/clock.js"),
  core("domain-is-pure", "domain/planted-hash.ts", "../hash/planted-low.js"),
  core("errors-stand-low", "errors.ts", "./ports/clock.js"),
  core("ports-know-the-domain-only", "ports/planted.ts", "../use-cases/planted-target.js"),
  core("redaction-stands-alone", "redaction/planted.ts", "../domain/codes.js"),
  core("recall-is-pure", "recall/planted.ts", "../ports/clock.js"),
  core("hash-is-low", "hash/planted.ts", "../recall/planted-target.js"),
  core("use-cases-see-ports-not-adapters", "use-cases/planted.ts", "../adapters/in-memory/planted-target.js"),
  core(
    "adapters-see-neither-use-cases-nor-each-other",
    "adapters/in-memory/planted.ts",
    "../postgres/planted-target.js",
  ),
  core(
    "adapters-see-neither-use-cases-nor-each-other",
    "adapters/postgres/planted.ts",
    "../../use-cases/planted-target.js",
  ),
  core(
    "adapters-see-neither-use-cases-nor-each-other",
    "adapters/postgres/planted-redaction.ts",
    "../../redaction/redactor-port.js",
  ),
  core("the-facade-stands-on-top", "use-cases/planted-facade.ts", "../memory.js"),
  core("nothing-imports-the-entry", "adapters/postgres/planted-entry.ts", "../../index.js"),
  core("the-product-does-not-import-its-tests", "use-cases/planted-testing.ts", "../testing/planted-target.js"),
  core("no-npm-package-in-the-core", "adapters/postgres/planted-npm.ts", "pg"),
  core("nothing-unresolvable", "adapters/postgres/planted-absent.ts", "no-such-package"),
  core("no-node-module-but-crypto", "hash/planted-fs.ts", "node:fs"),
  core("no-node-module-but-crypto", "adapters/postgres/planted-bare.ts", "child_process"),
  core("node-crypto-behind-the-digest", "recall/planted-crypto.ts", "node:crypto"),
  core("digest-by-its-name", "use-cases/planted-digest.ts", "../hash/digest-pure.js"),
  core("nothing-unresolvable", "use-cases/planted-missing.ts", "./no-such-file.js"),
  core("no-cycles", "domain/planted-cycle-a.ts", "./planted-cycle-b.js"),
  {
    rule: "satellites-enter-by-the-front-door",
    file: "packages/memory-cli/src/planted.ts",
    imports: "../../memory/src/errors.js",
  },
  {
    rule: "satellites-enter-by-the-front-door",
    file: "packages/memory-mcp/src/planted.ts",
    imports: "../../memory/src/index.js",
  },
];

const TARGETS = [
  "memory/src/index.ts",
  "memory/src/memory.ts",
  "memory/src/hash/planted-low.ts",
  "memory/src/hash/digest-pure.ts",
  "memory/src/recall/planted-target.ts",
  "memory/src/use-cases/planted-target.ts",
  "memory/src/testing/planted-target.ts",
  "memory/src/adapters/in-memory/planted-target.ts",
  "memory/src/adapters/postgres/planted-target.ts",
];

describe("the rules on dependencies", () => {
  let copy: string;
  let broken: ReadonlySet<string>;

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), "demystify-memory-rules-"));
    for (const path of [
      ".dependency-cruiser.cjs",
      "tsconfig.base.json",
      "packages/memory/src/domain",
      "packages/memory/src/ports",
      "packages/memory/src/redaction/redactor-port.ts",
      "packages/memory/src/errors.ts",
    ]) {
      cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    }
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    for (const target of TARGETS) write(`packages/${target}`, "export const target = 1;\n");
    for (const { file, imports } of PLANTED) write(file, `export * from "${imports}";\n`);
    write("packages/memory/src/domain/planted-cycle-b.ts", 'export * from "./planted-cycle-a.js";\n');
    broken = cruise();
  }, 60_000);

  afterAll(() => {
    rmSync(copy, { recursive: true, force: true });
  });

  const cases = PLANTED.map(({ rule, file, imports }) => [rule, file, imports] as const);
  test.each(cases)("%s: %s may not import %s", (rule, file) => {
    expect([...broken]).toContain(`${rule} ${file}`);
  });

  test("every rule has been seen failing", () => {
    const config = spawnSync(
      process.execPath,
      ["-p", "JSON.stringify(require('./.dependency-cruiser.cjs').forbidden.map(({ name }) => name))"],
      { cwd: ROOT, encoding: "utf8" },
    );
    const rules = JSON.parse(config.stdout) as string[];

    expect(rules.filter((rule) => !PLANTED.some((planted) => planted.rule === rule))).toEqual([]);
  });

  /** What was reported, as `rule file`. */
  function cruise(): ReadonlySet<string> {
    const bin = join(ROOT, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
    const args = [bin, "packages", "--config", ".dependency-cruiser.cjs", "--output-type", "json"];
    const result = spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
    const { summary } = JSON.parse(result.stdout) as {
      summary: { violations: { from: string; rule: { name: string } }[] };
    };
    return new Set(summary.violations.map(({ from, rule }) => `${rule.name} ${from}`));
  }

  function write(file: string, content: string): void {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), content);
  }
});

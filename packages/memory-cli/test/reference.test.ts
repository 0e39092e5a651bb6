import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
// @ts-expect-error: a script, without types
import { readmeWithCommands, reference } from "../scripts/reference.mjs";
import { buildProgram } from "../src/program.js";
import { temporaryFolder } from "./support/input.js";
import { run } from "./support/run-main.js";

const make = {
  reference: reference as (program: object) => string,
  readme: readmeWithCommands as (readme: string, program: object) => string,
};

function program() {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  return buildProgram({ ...streams, env: {} }, { command: "", exitCode: 0 });
}

function textOf(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

describe("what is written about the commands is what they are", () => {
  test("the reference", () => {
    expect(textOf("../../../docs/reference/cli.md")).toBe(make.reference(program()));
  });

  test("the table in the README", () => {
    const readme = textOf("../README.md");

    expect(make.readme(readme, program())).toBe(readme);
    expect(readme).toContain("| `forget` |");
  });

  test("every command of the guide is one", () => {
    const names = new Set(program().commands.map((command) => command.name()));
    const guides = textOf("../../../docs/guides/cli.md") + textOf("../README.md");
    const named = [...guides.matchAll(/demystify-memory ([a-z][a-z-]*)/g)].map(([, name]) => name);

    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !names.has(name ?? ""))).toEqual([]);
  });
});

describe("every command", () => {
  const names = program().commands.map((command) => command.name());

  test.each(names)("%s has help on standard output, and takes no argument that it does not know", async (name) => {
    const help = await run([name, "--help"]);
    const refused = await run([name, "--nonsense=customer:ramesh"]);

    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toContain(`Usage: demystify-memory ${name}`);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("--help");
    expect(refused.stderr + refused.stdout).not.toContain("ramesh");
  });

  test("without a command the help is shown, and it is an error", async () => {
    const none = await run([]);

    expect(none.code).toBe(2);
    expect(none.stderr).toContain("Usage: demystify-memory");
  });
});

describe("completion", () => {
  const folder = temporaryFolder();

  /** What bash would offer after these words. */
  async function offered(...words: readonly string[]): Promise<readonly string[]> {
    const script = (await run(["completion", "bash"])).stdout;
    const line = words.map((word) => `'${word}'`).join(" ");
    const { stdout, status } = spawnSync(
      "bash",
      [
        "--norc",
        "-c",
        `${script}\nCOMP_WORDS=(demystify-memory ${line}); COMP_CWORD=${words.length}; _demystify_memory; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ],
      { encoding: "utf8" },
    );
    expect(status).toBe(0);
    return stdout.trim().split("\n");
  }

  test("in bash offers commands, options, and the values of closed lists", async () => {
    expect(await offered("for")).toEqual(["forget"]);
    expect(await offered("forget", "--re")).toEqual(["--reason", "--requested-by", "--request-id"]);
    expect(await offered("forget", "--reason", "")).toEqual(["subject_request", "retention_policy", "operator"]);
    expect(await offered("receipt", "--format", "h")).toEqual(["html"]);
    expect(await offered("completion", "z")).toEqual(["zsh"]);
  });

  test.each(["zsh", "fish"])("for %s names every command and is quoted right", async (shell) => {
    const script = await run(["completion", shell]);

    expect(script.code).toBe(0);
    for (const { name } of program().commands.map((command) => ({ name: command.name() }))) {
      expect(script.stdout).toContain(name);
    }
    // An apostrophe within a description would end the quotes.
    expect(script.stdout).toContain(shell === "zsh" ? "sample'\\''s" : "sample\\'s");
    const file = join(folder, `completion.${shell}`);
    writeFileSync(file, script.stdout);
    const checked = spawnSync(shell, ["-n", file], { encoding: "utf8" });
    if (checked.error === undefined) expect(checked.stderr).toBe("");
    else expect(process.env["CI"] === "true" ? `${shell} is not installed` : "").toBe("");
  });

  test("for another shell is refused", async () => {
    expect((await run(["completion", "tcsh"])).code).toBe(2);
  });
});

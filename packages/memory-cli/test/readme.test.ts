import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type {} from "../../memory/test/support/global-setup.js";
import { legTitle } from "../../memory/test/support/legs.js";
import { temporaryFolder } from "./support/input.js";

const server = inject("postgresServer");
if (server !== null) {
  describe(legTitle("the README's commands alone", "postgres"), () => {
    const folder = temporaryFolder();
    const database = `memory_cli_${randomBytes(6).toString("hex")}`;
    const admin = new pg.Pool({ connectionString: server.adminUrl, max: 1 });
    beforeAll(() => admin.query(`create database ${database}`));
    afterAll(async () => {
      await admin.query(`drop database if exists ${database} with (force)`);
      await admin.end();
    });

    test("go from an empty Postgres to a receipt that can be printed", () => {
      const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
      const [, commands = ""] =
        /<!-- walkthrough[^>]*-->\s*```sh\n([\s\S]*?)```\s*<!-- \/walkthrough -->/.exec(readme) ?? [];
      const url = new URL(server.adminUrl);
      url.pathname = `/${database}`;
      const bin = join(folder, "bin");
      installCommand(bin);
      const { DATABASE_URL: _url, ...env } = process.env;

      const done = spawnSync("bash", ["-e", "-o", "pipefail", "-c", commands], {
        cwd: folder,
        encoding: "utf8",
        env: { ...env, DATABASE_URL: url.href, PATH: `${bin}${delimiter}${env["PATH"] ?? ""}` },
      });
      const file = (name: string) => readFileSync(join(folder, name), "utf8");

      expect(commands).toContain("demystify-memory migrate");
      const told = done.status === 0 ? "" : `${done.stdout.slice(-2_000)}\n${done.stderr}`;
      expect({ status: done.status, told }).toEqual({ status: 0, told: "" });
      expect(done.stdout).toContain("phone_in 1");
      expect(done.stdout).toContain("Verdict: clean");
      expect(done.stdout).toContain("Not found.");
      expect(file("grants.sql")).toContain("grant_to('app', 'app')");
      expect(file("receipt.html")).toMatch(/^<!doctype html>[\s\S]*every recorded copy was confirmed gone/);
      expect(file("receipt.html")).toContain("section 12");
      expect(file("erasure.json") + file("receipt.html") + done.stdout + done.stderr).not.toMatch(/customer:1|INV-42/);
    }, 120_000);
  });
}

/** As npm installs it: a command of that name on the PATH. In a fresh clone npm ci finds nothing built yet to link to. */
function installCommand(folder: string): void {
  const script = fileURLToPath(new URL("../dist/bin.js", import.meta.url));
  mkdirSync(folder);
  writeFileSync(join(folder, "demystify-memory"), `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
  chmodSync(join(folder, "demystify-memory"), 0o755);
}

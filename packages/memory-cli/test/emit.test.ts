import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import type {} from "../../memory/test/support/global-setup.js";
import { legTitle } from "../../memory/test/support/legs.js";
import { describeWhere } from "../../memory-worker/test/support/where-available.js";
import { temporaryFolder } from "./support/input.js";
import { findPsql, realToolsAreMissing, runTool, toolPath, type ToolRun } from "./support/real-tools.js";
import { documentOf, run } from "./support/run-main.js";

const folder = temporaryFolder();
const server = inject("postgresServer");
const MINUTES = 60_000;

interface Place {
  readonly url: string;
  readonly cwd: string;
  /** Of the emitted file, in `cwd`. */
  readonly path: string;
}

/** How each tool runs what was emitted for it, and how it is run a second time. */
const TOOLS: Readonly<
  Record<string, { readonly missing: () => string | undefined; readonly up: (place: Place) => Promise<ToolRun> }>
> = {
  psql: {
    missing: () => (findPsql() === undefined ? "psql is not on this machine (Debian: postgresql-client)" : undefined),
    up: ({ url, cwd, path }) =>
      runTool(findPsql() ?? "psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", path, url], { cwd }),
  },
  dbmate: {
    missing: realToolsAreMissing,
    up: ({ url, cwd }) =>
      runTool(toolPath("@dbmate/linux-x64/bin/dbmate"), ["--url", `${url}?sslmode=disable`, "--no-dump-schema", "up"], {
        cwd,
      }),
  },
  "node-pg-migrate": {
    missing: realToolsAreMissing,
    up: ({ url, cwd }) => runTool(toolPath(".bin/node-pg-migrate"), ["up"], { cwd, env: { DATABASE_URL: url } }),
  },
  supabase: {
    missing: realToolsAreMissing,
    up: ({ url, cwd }) =>
      runTool(
        toolPath("@supabase/cli-linux-x64/bin/supabase"),
        ["db", "push", "--yes", "--db-url", `${url}?sslmode=disable`, "--workdir", cwd],
        {
          cwd,
        },
      ),
  },
};

if (server !== null) {
  describe(legTitle("what --emit writes", "postgres"), () => {
    const admin = new pg.Pool({ connectionString: server.adminUrl, max: 1 });
    let name = "";
    let url = "";
    beforeEach(async () => {
      name = `memory_emit_${randomBytes(6).toString("hex")}`;
      await admin.query(`create database ${name}`);
      const here = new URL(server.adminUrl);
      here.pathname = `/${name}`;
      url = here.href;
    });
    afterEach(() => admin.query(`drop database if exists ${name} with (force)`));

    for (const [tool, { missing, up }] of Object.entries(TOOLS)) {
      describeWhere(missing(), `for ${tool}`, () => {
        test(
          "is installed by it, is a schema that verify calls ok, and is left alone when it is run again",
          async () => {
            const cwd = mkdtempSync(join(folder, "project-"));
            const emitted = await run(["migrate", "--emit", tool, "--out", cwd, "--json"]);
            const [file] = documentOf<{ files: { path: string }[] }>(emitted).files;
            const place = { url, cwd, path: file?.path ?? "" };

            const first = await up(place);
            const verified = await run(["verify", "--json"], { env: { DATABASE_URL: url } });
            const again = await up(place);
            const planned = await run(["migrate", "--dry-run", "--json"], { env: { DATABASE_URL: url } });

            expect(first, first.output).toMatchObject({ code: 0 });
            expect(verified.code, verified.stdout).toBe(0);
            expect(documentOf<{ checks: { ok: boolean }[] }>(verified).checks.filter(({ ok }) => !ok)).toEqual([]);
            expect(again, again.output).toMatchObject({ code: 0 });
            expect(documentOf(planned)).toMatchObject({ currentVersion: 1, pending: [] });
          },
          2 * MINUTES,
        );
      });
    }
  });
}

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { runCli } from "./support/cli.js";
import { temporaryFolder } from "./support/input.js";
import { documentOf } from "./support/run-main.js";
import { describeOnServer, PEPPER, type Given } from "./support/server-suite.js";
import { CTRL_C, describeInTerminal, ENTER, runInTerminal } from "./support/terminal.js";

const folder = temporaryFolder();
const SECONDS = 1_000;
const ESCAPE = "\u001b[";

function environment(given: Given, tenantKey: string) {
  return {
    DATABASE_URL: given.appUrl,
    DEMYSTIFY_MEMORY_TENANT: tenantKey,
    DEMYSTIFY_MEMORY_PEPPER: PEPPER,
  };
}

async function withPerson(given: Given) {
  const { memory, tenantKey, cli } = given.tenant();
  const { memory: row } = await memory.remember({ tenantKey, subjectKey: "customer:ramesh", text: "words" });
  const isThere = async () => (await memory.getMemory(tenantKey, row.memoryId)) !== null;
  return { memory, tenantKey, cli, row, isThere, env: environment(given, tenantKey) };
}

describeInTerminal("on a terminal", () => {
  describeOnServer("forget", (given) => {
    test(
      "asks for the person, shows what would go, asks for the key again, and erases",
      async () => {
        const { env, isThere } = await withPerson(given);

        const seen = await runInTerminal(["forget"], {
          env,
          replies: [
            { when: /Type their key/, type: `customer:ramesh${ENTER}` },
            { when: /Type the key again/, type: `customer:ramesh${ENTER}` },
          ],
        });

        expect(seen.code).toBe(0);
        expect(seen.text).toContain("1 memory");
        expect(seen.text).toContain("complete, confirmed");
        expect(seen.screen).toContain(ESCAPE);
        expect(await isThere()).toBe(false);
      },
      30 * SECONDS,
    );

    test(
      "erases nothing where the key is not typed again, and ends with 1",
      async () => {
        const { env, isThere } = await withPerson(given);

        const seen = await runInTerminal(["forget"], {
          env,
          replies: [
            { when: /Type their key/, type: `customer:ramesh${ENTER}` },
            { when: /Type the key again/, type: `yes${ENTER}` },
          ],
        });

        expect(seen.code).toBe(1);
        expect(seen.text).toContain("nothing was erased");
        expect(await isThere()).toBe(true);
      },
      30 * SECONDS,
    );

    test(
      "Ctrl-C at the question ends with 130 and says that nothing was erased",
      async () => {
        const { env, isThere } = await withPerson(given);

        const seen = await runInTerminal(["forget"], { env, replies: [{ when: /Type their key/, type: CTRL_C }] });

        expect(seen.code).toBe(130);
        expect(seen.text).toContain("Nothing was erased.");
        expect(await isThere()).toBe(true);
      },
      30 * SECONDS,
    );

    test(
      "NO_COLOR is honoured",
      async () => {
        const { env } = await withPerson(given);

        const plain = await runInTerminal(["doctor"], { env: { ...env, NO_COLOR: "1" } });
        const coloured = await runInTerminal(["doctor"], { env });

        expect(plain.screen).not.toContain(ESCAPE);
        expect(coloured.screen).toContain(ESCAPE);
        expect(coloured.text).toContain("✓ role_superuser");
      },
      30 * SECONDS,
    );
  });

  describeOnServer("a question that nobody would see, because standard error is redirected,", (given) => {
    test.each([
      ["forget", ["forget"], "--yes"],
      ["forget --yes", ["forget", "--yes"], "printf %s"],
      ["restrict", ["restrict", "--basis", "operator"], "printf %s"],
      ["correct", ["correct", "018f0000-0000-7000-8000-000000000000"], "< text.txt"],
      ["scan", ["scan"], "printf %s"],
      ["uninstall", ["uninstall"], "--confirm"],
      ["demo --forget", ["demo", "--forget"], "printf %s"],
    ])(
      "is refused with 2 and what to do instead: %s",
      async (_command, args, instead) => {
        const { env, isThere } = await withPerson(given);
        const errors = join(mkdtempSync(join(folder, "errors-")), "stderr");

        const seen = await runInTerminal(args, { env, redirect: `2>${errors}` });

        expect(seen.code).toBe(2);
        expect(readFileSync(errors, "utf8")).toContain(instead);
        expect(await isThere()).toBe(true);
      },
      30 * SECONDS,
    );

    test(
      "is not asked where the command has none: it works, and its data is on the terminal",
      async () => {
        const { env } = await withPerson(given);

        const seen = await runInTerminal(["erasures"], { env, redirect: "2>/dev/null" });

        expect(seen).toMatchObject({ code: 0 });
        expect(seen.text).toContain("No such erasure.");
      },
      30 * SECONDS,
    );
  });

  describeOnServer("a terminal that says it has", (given) => {
    test.each([0, 1, 7])(
      "%d columns is asked and told all the same",
      async (columns) => {
        const { env, isThere } = await withPerson(given);

        const seen = await runInTerminal(["forget"], {
          env,
          columns,
          replies: [
            { when: /key/, type: `customer:ramesh${ENTER}` },
            { when: /again/, type: `customer:ramesh${ENTER}` },
          ],
        });

        expect(seen.code).toBe(0);
        expect(await isThere()).toBe(false);
      },
      30 * SECONDS,
    );

    test.each([0, 1, 7])(
      "%d columns sees an import to its end",
      async (columns) => {
        const { env } = await withPerson(given);
        const file = join(mkdtempSync(join(folder, "narrow-")), "narrow.jsonl");
        const lines = Array.from({ length: 300 }, (_, line) => JSON.stringify({ subject: "a", text: `words ${line}` }));
        writeFileSync(file, lines.join("\n"));

        const seen = await runInTerminal(["import", file], { env, columns });

        expect(seen.code).toBe(0);
        expect(seen.text).toContain("300");
      },
      30 * SECONDS,
    );
  });

  describeOnServer("a long import", (given) => {
    const file = join(mkdtempSync(join(folder, "long-")), "long.jsonl");
    beforeAll(() => {
      const lines = Array.from({ length: 6_000 }, (_, line) => JSON.stringify({ subject: "a", text: `words ${line}` }));
      writeFileSync(file, lines.join("\n"));
    });

    test(
      "shows a bar, stops at Ctrl-C with 130 and the line to go on from, and goes on there",
      async () => {
        const { env, memory, tenantKey } = await withPerson(given);

        const stopped = await runInTerminal(["import", file], {
          env,
          replies: [{ when: /[1-9]00\/6000/, type: CTRL_C }],
        });
        const [, line = ""] = /--from-line (\d+)/.exec(stopped.text) ?? [];
        const rest = await runCli(["import", file, "--from-line", line, "--json"], { env });
        const all = await given.admin.query<{ n: number }>(
          "select count(*)::int as n from demystify_memory.memory where tenant_key = $1",
          [tenantKey],
        );

        expect(stopped.code).toBe(130);
        expect(Number(line)).toBeGreaterThan(1);
        expect(rest.code).toBe(0);
        expect(documentOf(rest)).toMatchObject({ stored: 6_000 - Number(line) + 1 });
        expect(all.rows).toEqual([{ n: 6_001 }]);
        expect((await memory.listMemories({ tenantKey, limit: 1 })).rows).toHaveLength(1);
      },
      120 * SECONDS,
    );
  });
});

describeOnServer("a process of its own", (given) => {
  test(
    "Ctrl-C while copies are waited for ends with 130 and prints the id, with which retry goes on",
    async () => {
      const { env, memory, tenantKey, row, cli } = await withPerson(given);
      const { placement } = await memory.recordPlacement({
        tenantKey,
        sink: "cache",
        ref: "r",
        kind: "entry",
        sources: [{ sourceKind: "memory", sourceId: row.memoryId }],
      });

      const stopped = await runCli(["forget", "--yes", "--wait", "10m"], {
        env,
        input: "customer:ramesh",
        whenStderr: { holds: "Waiting for the copies", act: (child) => child.kill("SIGINT") },
      });
      const [, tombstoneId = ""] = /demystify-memory retry ([\w-]+)/.exec(stopped.stderr) ?? [];
      const open = await cli(["retry", tombstoneId]);
      await cli(["confirm", tombstoneId, "--copy", placement.placementId, "--proof", "unfindable"]);
      const complete = await cli(["retry", tombstoneId]);

      expect(stopped.code).toBe(130);
      expect(stopped.stdout).toBe("");
      expect([open.code, complete.code]).toEqual([4, 0]);
    },
    30 * SECONDS,
  );

  test(
    "a watch ends at Ctrl-C with 130; a worker, which has no other end, with 0",
    async () => {
      const { env, memory, tenantKey, row, cli } = await withPerson(given);
      await memory.recordPlacement({
        tenantKey,
        sink: "by-hand",
        ref: "r",
        kind: "entry",
        sources: [{ sourceKind: "memory", sourceId: row.memoryId }],
      });
      await cli(["forget", "--yes"], { input: "customer:ramesh" });
      const config = join(folder, "by-hand.json");
      writeFileSync(config, JSON.stringify({ sinks: [{ type: "manual", name: "by-hand" }], pollSeconds: 1 }));

      const worker = await runCli(["worker", "--config", config], {
        env,
        whenStderr: { holds: "Working for", act: (child) => child.kill("SIGTERM") },
      });
      const { rows } = await given.admin.query<{ id: string }>(
        "select tombstone_id::text as id from demystify_memory.tombstone where tenant_key = $1",
        [tenantKey],
      );
      const watched = await runCli(["erasure", rows[0]?.id ?? "", "--watch", "1"], {
        env,
        whenStdout: { holds: "in progress", act: (child) => child.kill("SIGINT") },
      });

      expect(worker.code).toBe(0);
      expect(worker.stderr).toContain("Stopped; leases were given back.");
      expect(watched.code).toBe(130);
      expect(watched.stderr).toContain("what was watched goes on");
    },
    60 * SECONDS,
  );

  test(
    "Ctrl-C during a sweep ends with 130 after the step that runs, and says how to look again",
    async () => {
      const { env } = await withPerson(given);
      const locker = await given.admin.connect();
      await locker.query("begin");
      await locker.query("lock table demystify_memory.tombstone in access exclusive mode");
      const isHeldUp = async () => {
        const { rows } = await locker.query("select from pg_locks where not granted and relation = $1::regclass", [
          "demystify_memory.tombstone",
        ]);
        return rows.length > 0;
      };

      const sweeping = runCli(["sweep"], {
        env,
        whenStarted: (child) => {
          void vi.waitUntil(isHeldUp, { timeout: 20 * SECONDS, interval: 50 }).then(() => child.kill("SIGINT"));
        },
        whenStderr: { holds: "Stopping after this step", act: () => void locker.query("rollback") },
      });
      const stopped = await sweeping;
      locker.release();

      expect(stopped).toMatchObject({ code: 130, stdout: "" });
      expect(stopped.stderr).toContain("Run the same command again to look from the start.");
    },
    30 * SECONDS,
  );

  test(
    "whoever stops reading an export does not make it fail",
    async () => {
      const { env, memory, tenantKey } = await withPerson(given);
      const text = "more words than a pipe holds ".repeat(10);
      await memory.rememberMany(
        Array.from({ length: 1_000 }, (_, row) => ({
          tenantKey,
          subjectKey: "customer:ramesh",
          text: `${text}${row}`,
        })),
      );

      const cut = await runCli(["export"], {
        env,
        input: "customer:ramesh",
        whenStdout: { holds: "{", act: (child) => child.stdout?.destroy() },
      });

      expect(cut.code).toBe(0);
      expect(cut.stderr).toContain("1,001 rows written");
    },
    30 * SECONDS,
  );
});

import { cpSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { beforeAll, describe, expect, test } from "vitest";
import { runCli, type CliRun } from "./support/cli.js";
import { temporaryFolder } from "./support/input.js";
import { literalsOfSample, sampleLines } from "./support/sample.js";

const MINUTES = 60_000;
const root = temporaryFolder();
const folder = join(root, "database");

/** The first run makes the database that the others use, so that only one of them waits for it. */
let first: CliRun;
beforeAll(async () => {
  first = await runCli(["demo", "--folder", folder]);
}, 4 * MINUTES);

interface Document {
  readonly ok: boolean;
  readonly input: {
    readonly messages: number;
    readonly people: number;
    readonly blankLines: number;
    readonly emptyTexts: number;
  };
  readonly remembered: { readonly redactions: Readonly<Record<string, number>> };
  readonly derived: { readonly rows: Readonly<Record<string, number>> };
  readonly receipt: {
    readonly state: string;
    readonly counts: { readonly memories: number; readonly derived: number };
  };
  readonly proof: {
    readonly literals: { readonly lookedFor: number };
    readonly after: { readonly scan: { readonly literalsFound: number; readonly tables: number } };
    readonly checks: readonly { readonly id: string; readonly ok: boolean; readonly detail: string }[];
  };
  readonly error: { readonly code: string; readonly message: string };
}

function documentOf(run: CliRun): Document {
  return JSON.parse(run.stdout) as Document;
}

describe("a first run without a terminal", () => {
  test("remembers, derives, recalls, previews, forgets and proves, and says so on standard output", () => {
    expect(first).toMatchObject({ code: 0 });
    expect(first.stdout.match(/^\d {2}\w+/gm)).toEqual([
      "1  Remember",
      "2  Derive",
      "3  Copy",
      "4  Recall",
      "5  Preview",
      "6  Forget",
      "7  Finish",
      "8  Proof",
    ]);
    expect(first.stdout).toContain("139 memories stored");
    expect(first.stdout).toContain("state      │ complete, closure confirmed");
    expect(first.stdout.match(/ ✓ /g)).toHaveLength(15);
    expect(first.stdout).not.toContain("✗");
    expect(first.stdout).toContain("All 15 checks passed");
  });

  test("shows that forget does not report success while a copy cannot be reached, and how it is finished", () => {
    const steps = first.stdout.split(/^(?=\d {2}\w)/m);
    const [forgetting, finishing] = [steps[6], steps[7]];

    expect(forgetting).toContain("ERR_FORGET_INCOMPLETE, state in_progress");
    expect(forgetting).toMatch(/waiting for 3 copies in export-share/);
    expect(forgetting).toContain("3 failed, 0 confirmed");
    expect(finishing).toContain("complete, closure confirmed");
    expect(finishing).toContain("3 recorded, 3 confirmed gone, 0 outstanding");
  });

  test("names the folder that the database is kept in, and what it does not reach", () => {
    expect(first.stdout).toContain(folder);
    expect(readdirSync(folder).sort()).toEqual(["pgdata", "ready"]);
    expect(first.stdout).toContain("What a delete in Postgres does not reach:");
  });

  test("writes no control characters, and nothing but notes on standard error", () => {
    expect(first.stdout).not.toContain("\u001b");
    expect(first.stderr).not.toContain("\u001b");
    expect(first.stderr.trimEnd().split("\n")).toHaveLength(5);
  });
});

describe("a second run over the same folder, as JSON, with the person named on standard input", () => {
  const PERSON = "customer:sunita-devi";
  let run: CliRun;
  beforeAll(async () => {
    run = await runCli(["demo", "--folder", folder, "--json", "--forget"], { input: `${PERSON}\n` });
  }, 2 * MINUTES);

  test("prints one document that says what was proved", () => {
    const document = documentOf(run);

    expect(run.code).toBe(0);
    expect(document).toMatchObject({
      command: "demo",
      format: 1,
      ok: true,
      input: { messages: 139, people: 14 },
      remembered: { redactions: { aadhaar: 6, bank_account: 7, email: 6, gstin: 2, ifsc: 2, pan: 5, phone_in: 12 } },
      derived: { rows: { summary: 14, "weekly-digest": 8, "monthly-digest": 2 } },
      copies: { sink: "export-share", own: 3, others: 1 },
      whileDown: {
        errorCode: "ERR_FORGET_INCOMPLETE",
        state: "in_progress",
        owner: "worker",
        outstanding: 3,
        attempt: { failed: 3, confirmed: 0 },
      },
      receipt: { state: "complete", closure: "confirmed", counts: { memories: 10 }, subjectHashKeyed: true },
      proof: { passed: true, after: { scan: { literalsFound: 0 } } },
    });
    expect(document.proof.checks.map(({ id, ok }) => [id, ok])).toEqual(
      [
        "control",
        "identifiers_never_stored",
        "preview",
        "receipt",
        "counts",
        "memories_gone",
        "derived_gone",
        "recall_empty",
        "nothing_found",
        "copies_gone",
        "others_untouched",
        "tombstone",
        "no_way_back",
        "reconciled",
        "rules_stand",
      ].map((id) => [id, true]),
    );
  });

  test("prints neither a text nor a key of the person, on either stream", () => {
    for (const literal of literalsOfSample(PERSON)) {
      expect(run.stdout).not.toContain(literal);
      expect(run.stderr).not.toContain(literal);
    }
  });
});

describe("the proof", () => {
  test(
    "fails, and the command with it, where a copy was made that nobody recorded",
    async () => {
      const leaky = join(root, "leaky");
      cpSync(folder, leaky, { recursive: true });
      const database = await PGlite.create(join(leaky, "pgdata"), { extensions: { vector } });
      await database.exec(`
      create table demystify_memory.forgotten_export (line text);
      create function public.copy_line() returns trigger language plpgsql security definer as
        $$ begin insert into demystify_memory.forgotten_export values (new.text); return new; end $$;
      create trigger copy_line after insert on demystify_memory.memory for each row execute function public.copy_line();
    `);
      await database.close();
      const { code, stdout } = await runCli(["demo", "--folder", leaky, "--json"]);
      const failed = (JSON.parse(stdout) as Document).proof.checks.filter(({ ok }) => !ok);

      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({ ok: false, proof: { passed: false } });
      expect(failed.map(({ id }) => id)).toContain("nothing_found");
      expect(failed.find(({ id }) => id === "nothing_found")?.detail).toContain("forgotten_export.line");
    },
    2 * MINUTES,
  );
});

describe("a file of one's own", () => {
  test(
    "may be CSV with other column names, blank lines and empty texts",
    async () => {
      const file = join(root, "mine.csv");
      const texts = [
        "the parcel came late",
        "the parcel came broken",
        "where is my parcel now",
        "thank you for the parcel",
      ];
      writeFileSync(
        file,
        `body,user\n${texts.map((text, i) => `"${text}, ${i}",user:${i % 2}`).join("\n")}\n\n ,user:1\n`,
      );
      const run = await runCli([
        "demo",
        "--folder",
        folder,
        "--json",
        "--input",
        file,
        "--subject-column",
        "user",
        "--text-column",
        "body",
      ]);

      expect(run.code).toBe(0);
      expect(documentOf(run)).toMatchObject({
        ok: true,
        input: { file: "mine.csv", format: "csv", messages: 4, people: 2, blankLines: 1, emptyTexts: 1 },
      });
    },
    2 * MINUTES,
  );
});

describe("wrong usage ends with 2, says what was expected, and writes nothing", () => {
  const untouched = join(root, "untouched");
  const bad = join(root, "bad.jsonl");
  const other = join(root, "other-files");
  beforeAll(() => {
    writeFileSync(bad, `{"subject":"a","text":"fine"}\n{"subject":"a"}\n`);
    cpSync(new URL("./support", import.meta.url), other, { recursive: true });
  });

  test.each([
    ["an unknown option", ["--nope"], "unknown option '--nope'"],
    ["a missing file", ["--input", join(root, "nowhere.jsonl")], "there is no such file"],
    ["a folder as a file", ["--input", root], "is a folder"],
    ["a bad line", ["--input", bad], `line 2: "text" is missing; expected a string`],
    ["columns without a file", ["--subject-column", "who"], "Give the file with --input."],
    ["a folder and a server", ["--database-url", "postgres://localhost/x"], "--folder is for the embedded Postgres"],
    ["an empty value", ["--input", ""], "is empty"],
    ["no key on standard input", ["--forget"], "standard input held no subject key"],
  ])("%s", async (_name, args, expected) => {
    const run = await runCli(["demo", "--folder", untouched, ...args]);

    expect(run.code).toBe(2);
    expect(run.stderr).toContain(expected);
    expect(run.stdout).toBe("");
    expect(existsSync(untouched)).toBe(false);
  });

  test("a key that nobody has, without repeating it", async () => {
    const run = await runCli(["demo", "--folder", untouched, "--forget"], { input: "customer:nobody" });

    expect(run.code).toBe(2);
    expect(run.stderr).toContain(
      "nobody in support-messages.jsonl has the key that was given (14 people have messages there)",
    );
    expect(run.stderr).not.toContain("customer:nobody");
  });

  test("a folder that holds other things, which stay as they are", async () => {
    const before = readdirSync(other);
    const run = await runCli(["demo", "--folder", other]);

    expect(run.code).toBe(2);
    expect(run.stderr).toContain("holds other files");
    expect(readdirSync(other)).toEqual(before);
  });

  test("a server without anybody to agree, without showing the password", async () => {
    const env = { DATABASE_URL: "postgres://someone:hunter2@localhost:1/x" };
    const run = await runCli(["demo"], { env, cwd: root });

    expect(run.code).toBe(2);
    expect(run.stderr).toContain("Agree with --yes, or unset DATABASE_URL");
    expect(run.stderr).not.toContain("hunter2");
  });

  test("with --json the error is a document too", async () => {
    const run = await runCli(["demo", "--json", "--input", join(root, "nowhere.jsonl")]);

    expect(run.code).toBe(2);
    expect(documentOf(run)).toMatchObject({ ok: false, error: { code: "input_file" } });
  });
});

describe("a server that cannot be reached", () => {
  test("ends with 1 and shows where it tried, without user and password", async () => {
    const run = await runCli(["demo", "--yes", "--database-url", "postgres://someone:hunter2@127.0.0.1:1/shop"]);

    expect(run.code).toBe(1);
    expect(run.stderr).toContain("cannot connect to 127.0.0.1:1/shop");
    expect(run.stderr).not.toMatch(/hunter2|someone/);
  });
});

describe("help and version", () => {
  test("go to standard output and end with 0", async () => {
    const help = await runCli(["demo", "--help"]);
    const version = await runCli(["--version"]);

    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toContain("--subject-column");
    expect(help.stdout).toContain("Exit codes:");
    expect(version).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string });
  });
});

describe("an interrupted run", () => {
  const long = join(root, "long.jsonl");
  beforeAll(() => {
    const lines = sampleLines();
    const many = Array.from({ length: 40 }, (_, round) =>
      lines.map(({ subject, at, text }) => ({ subject, at, text: `${text} ${round}` })),
    );
    writeFileSync(
      long,
      many
        .flat()
        .map((line) => JSON.stringify(line))
        .join("\n"),
    );
  });

  test(
    "Ctrl-C ends with 130 between two steps, says what is left, and leaves a folder that works",
    async () => {
      const run = await runCli(["demo", "--folder", folder, "--input", long], {
        whenStderr: { holds: "Remembering", act: (child) => child.kill("SIGINT") },
      });

      expect(run.code).toBe(130);
      expect(run.stderr).toContain(
        `What was stored so far is in ${folder}: delete that folder, or run the command again`,
      );
      expect(run.stdout).not.toContain("6  Forget");
      expect(readdirSync(folder).sort()).toEqual(["pgdata", "ready"]);
    },
    2 * MINUTES,
  );

  test(
    "a killed run leaves a folder that the next one takes over, while a running one keeps it",
    async () => {
      let second: Promise<CliRun> | undefined;
      const killed = await runCli(["demo", "--folder", folder, "--input", long], {
        whenStderr: {
          holds: "Remembering",
          act: (child) => {
            second = runCli(["demo", "--folder", folder]);
            void second.then(() => child.kill("SIGKILL"));
          },
        },
      });
      expect(killed.signal).toBe("SIGKILL");
      expect(await second).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("is in use by process") as string,
      });

      const next = await runCli(["demo", "--folder", folder, "--json"]);
      expect(next.code).toBe(0);
      expect(documentOf(next)).toMatchObject({ ok: true });
    },
    4 * MINUTES,
  );

  test(
    "a reader that goes away does not stop the work",
    async () => {
      const run = await runCli(["demo", "--folder", folder], {
        whenStderr: { holds: "Opening", act: (child) => child.stdout?.destroy() },
      });

      expect(run.code).toBe(0);
      expect(run.stderr).not.toContain("EPIPE");
    },
    2 * MINUTES,
  );
});

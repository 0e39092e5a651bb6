import { Option } from "commander";
import { migrate as runMigrations } from "@demystify/memory";
import { EXIT, UsageError, type ExitCode } from "../../cli-error.js";
import { databaseUrl, declareDatabase, withDatabase, type DatabaseOptions } from "../../connection/database-options.js";
import type { Database } from "../../database/database.js";
import { looksPooled } from "../../doctor/pooler-name.js";
import { EMITTERS, type EmitFormat } from "../../install/emit.js";
import { emitFiles } from "../../install/emit-files.js";
import { runAgain } from "../../install/run-again.js";
import { defineCommand, type Invocation } from "../command.js";
import { declareJson } from "../json-option.js";

interface MigrateOptions extends DatabaseOptions {
  readonly dryRun?: true;
  readonly again?: true;
  readonly partitions?: string;
  readonly emit?: EmitFormat;
  readonly out?: string;
  readonly since?: string;
}

/** `demystify-memory migrate`: brings the schema up to date, or writes the migrations for another tool to run. */
export const migrate = defineCommand<MigrateOptions>({
  name: "migrate",
  group: "install",
  summary: "install the schema demystify_memory or bring it up to date",
  declare: (command) =>
    void declareJson(declareDatabase(command))
      .option("--dry-run", "say what would run, and run nothing")
      .addOption(
        new Option("--again", "also run what ran before: puts back what verify found missing or changed").conflicts([
          "dryRun",
          "emit",
        ]),
      )
      .addOption(
        new Option(
          "--partitions <number>",
          "with the first migration: hash-partition the rows by tenant, for tens of millions of them (2 to 256)",
        ).conflicts(["again", "emit"]),
      )
      .addOption(
        new Option("--emit <format>", "print the migrations for another tool instead; needs no database")
          .choices(Object.keys(EMITTERS))
          .conflicts("dryRun"),
      )
      .option("--out <folder>", "with --emit: write files there, named as that tool wants them")
      .option("--since <version>", "with --emit: only migrations after this version"),
  run: (invocation) => (invocation.options.emit === undefined ? install(invocation) : emit(invocation)),
});

async function install(invocation: Invocation<MigrateOptions>): Promise<ExitCode> {
  const { options, out, progress } = invocation;
  for (const name of ["out", "since"] as const) {
    if (options[name] !== undefined) throw new UsageError(`--${name} is for --emit`, "Give --emit FORMAT as well.");
  }
  const choices = partitionsOf(options);
  if (looksPooled(databaseUrl(invocation))) {
    progress.note("Note: this looks like the address of a pooler. Migrations are better run over the direct address.");
  }
  const work = async (database: Database) => {
    const dryRun = options.dryRun === true;
    const { currentVersion, targetVersion, pending, ...ran } = await runMigrations(database.queryable, {
      dryRun,
      ...choices,
    });
    const applied = options.again === true ? await runAgain(database) : ran.applied;
    const names = pending.map(({ name }) => name);
    return out.answer(
      EXIT.done,
      { dryRun, database: database.label, currentVersion, targetVersion, pending: names, applied },
      (sheet) => {
        if (options.again === true) {
          sheet.line(`Ran every migration again at ${database.label}. Next: demystify-memory verify.`);
        } else if (names.length === 0) sheet.line(`${database.label} is at version ${currentVersion}: nothing to do.`);
        else if (dryRun) sheet.line(`Would apply to ${database.label}: ${names.join(", ")}. Nothing was run.`);
        else {
          sheet.line(`Applied to ${database.label}: ${names.join(", ")}.`);
          sheet.line("Next: demystify-memory grants --app ROLE, then demystify-memory verify.");
        }
      },
    );
  };
  return withDatabase(invocation, work, { create: options.dryRun !== true });
}

function partitionsOf({ partitions }: MigrateOptions): { readonly partitions?: number } {
  if (partitions === undefined) return {};
  const number = /^\d{1,3}$/.test(partitions) ? Number(partitions) : 0;
  if (number < 2 || number > 256) {
    throw new UsageError("--partitions is not a number of partitions", "Give a whole number from 2 to 256.");
  }
  return { partitions: number };
}

async function emit({ options, out, progress }: Invocation<MigrateOptions>): Promise<ExitCode> {
  const since = Number(options.since ?? "0");
  if (!Number.isInteger(since) || since < 0) {
    throw new UsageError("--since is not a version", "Give a whole number, such as 1; 0 emits all.");
  }
  const files = await emitFiles(options.emit ?? "psql", since, options.out ?? null);
  return out.answer(EXIT.done, { files }, () => {
    for (const { path, content, written } of files) {
      if (written) progress.note(`Wrote ${path}`);
      else out.write(content);
    }
    if (files.length === 0) progress.note("Nothing to emit.");
  });
}

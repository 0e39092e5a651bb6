import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { Memory, migrate, PgMemoryStore } from "@demystify/memory";
import { CliError, EXIT } from "../cli-error.js";
import type { Database } from "../database/database.js";
import { COPIES } from "../database/embedded.js";
import { countPlanned, deriveDigests } from "../digest/derive-digests.js";
import { planDigests } from "../digest/plan-digests.js";
import type { Conversation } from "../input/message.js";
import { observe } from "../proof/observe.js";
import { prove } from "../proof/prove.js";
import { readBackdrop } from "../proof/scan.js";
import { requireReadable, SCHEMA } from "../proof/read-table.js";
import { askToConfirm } from "../terminal/ask.js";
import type { Console } from "../terminal/console.js";
import type { Interrupt } from "../terminal/interrupt.js";
import type { Progress } from "../terminal/progress.js";
import { printable } from "../render/printable.js";
import { peopleOf, type Person } from "./people.js";
import { copyOut } from "./copy-out.js";
import { ExportShare } from "./export-share.js";
import { finisherOf, forgetWhileDown } from "./finish-copies.js";
import { countRedactions, rememberAll } from "./remember-all.js";
import type { DemoReport } from "./report.js";
import { describeTarget, questionAbout } from "./target.js";

/** Everything decided before the first row is written. */
export interface DemoJob {
  readonly conversation: Conversation;
  readonly sample: boolean;
  readonly person: Person;
  /** `null`: a question is made from what the person wrote. */
  readonly question: string | null;
  readonly openDatabase: () => Promise<Database>;
  /** What to say while it opens. */
  readonly opening: string;
  /** Ask once more before the person is forgotten. */
  readonly confirm: boolean;
}

export interface DemoSurroundings {
  readonly console: Console;
  readonly interrupt: Interrupt;
  readonly progress: Progress;
  readonly report: DemoReport;
}

/**
 * The main job from end to end: remember, derive, copy, recall, preview, forget, finish the copies, prove.
 *
 * Every run works in a tenant of its own with a pepper of its own, so runs over one database do not meet, and none
 * has to clean up after another.
 *
 * @returns whether every check of the proof passed
 */
export async function runDemo(job: DemoJob, surroundings: DemoSurroundings): Promise<boolean> {
  const started = performance.now();
  const { progress, interrupt } = surroundings;
  progress.note(job.opening);
  await interrupt.check();
  let database = await job.openDatabase();
  const share = ExportShare.create(database.kind === "embedded" ? join(database.label, COPIES) : null);
  try {
    // Before as well: a role without rights is better told this than what migrating would say.
    await requireReadable(database.queryable);
    await migrate(database.queryable);
    await requireReadable(database.queryable);
    await interrupt.check();
    const run = await storeAndDerive(job, database, share, surroundings);
    const claim = await forgetPerson(job, database, share, run, surroundings);

    progress.note("Opening the database anew, and looking at everything again …");
    database = await database.reopen();
    const proof = await prove(database, run.connect(database), claim);
    surroundings.report.proved(claim, run.choice, proof);
    surroundings.report.finished({
      passed: proof.passed,
      checks: proof.checks,
      database: run.databaseFacts,
      tenantKey: run.tenantKey,
      milliseconds: performance.now() - started,
    });
    return proof.passed;
  } finally {
    share.remove();
    await database.close();
  }
}

type Run = Awaited<ReturnType<typeof storeAndDerive>>;

async function storeAndDerive(
  job: DemoJob,
  database: Database,
  share: ExportShare,
  { report, progress, interrupt }: DemoSurroundings,
) {
  const { messages } = job.conversation;
  const tenantKey = `demo:${randomUUID()}`;
  const connect = connectWithOnePepper();
  const memory = connect(database);
  const databaseFacts = {
    kind: database.kind,
    label: database.label,
    postgres: await serverVersion(database),
    vectorSearch: (await memory.capabilities()).vectorSearch,
  };
  const people = peopleOf(messages).length;
  report.opened({ conversation: job.conversation, sample: job.sample, people, database: databaseFacts, tenantKey });
  const backdrop = await database.snapshot(tenantKey, readBackdrop);

  interrupt.help = leftBehind(database, tenantKey);
  let since = performance.now();
  const remembered = await progress.during("Remembering messages", messages.length, (advance) =>
    rememberAll(memory, tenantKey, messages, interrupt, advance),
  );
  report.remembered({
    memories: remembered.length,
    redactions: countRedactions(remembered),
    milliseconds: performance.now() - since,
  });

  await interrupt.check();
  since = performance.now();
  const plan = planDigests(remembered.map(({ line }) => line));
  const digests = await progress.during("Deriving summaries and digests", countPlanned(plan), (advance) =>
    deriveDigests(memory, tenantKey, plan, async (rows) => {
      advance(rows);
      await interrupt.check();
    }),
  );
  report.derived({ digests, milliseconds: performance.now() - since });

  const subjectKey = job.person.subjectKey;
  const { target, choice } = describeTarget({ tenantKey, subjectKey, remembered, digests, backdrop });
  const copies = await copyOut(memory, share, target, remembered);
  report.copied(copies);

  await interrupt.check();
  const question = job.question ?? questionAbout(subjectKey, remembered);
  report.recalled(question, await memory.recall({ tenantKey, text: question, limit: 5 }));
  return { tenantKey, databaseFacts, connect, memory, target, choice, copies };
}

async function forgetPerson(
  job: DemoJob,
  database: Database,
  share: ExportShare,
  run: Run,
  surroundings: DemoSurroundings,
) {
  const { report, progress, interrupt, console } = surroundings;
  const { memory, target, copies } = run;
  const scope = { tenantKey: target.tenantKey, subjectKey: target.subjectKey };
  await interrupt.check();
  const preview = await memory.previewForget(scope);
  report.previewed(job.person, target, preview);

  // Statistics as a server in use would have them: they are copies of values, and the scan reads them too.
  for (const table of ["memory", "derived", "subject"]) await database.queryable.query(`analyze ${SCHEMA}.${table}`);
  progress.note("Looking at every column of every table before the erasure …");
  const before = await observe(database, memory, target);
  await interrupt.check();

  if (job.confirm) {
    const question = `Forget ${printable(target.subjectKey)} now? This cannot be undone.`;
    if (!(await askToConfirm(console, interrupt, question))) {
      throw new CliError({
        code: "declined",
        message: "nobody was forgotten",
        help: interrupt.help,
        exitCode: EXIT.failed,
      });
    }
  }
  const filesBefore = copies.count();
  const since = performance.now();
  share.goDown();
  const { receipt: waiting, errorCode } = await forgetWhileDown(() =>
    memory.forget({
      ...scope,
      reason: "subject_request",
      legalBasis: "dpdp_12",
      requestedBy: { role: "data_principal" },
      previewToken: preview.token,
    }),
  );
  const finish = finisherOf(memory, share, waiting);
  const attempt = await finish();
  report.waiting({ receipt: waiting, errorCode, attempt });
  interrupt.help = `The erasure ${waiting.tombstoneId} waits for its copies, which go with this demo. ${leftBehind(database, target.tenantKey)}`;
  await interrupt.check();

  share.comeUp();
  await finish();
  const receipt = await memory.erasures.status({ tenantKey: target.tenantKey, tombstoneId: waiting.tombstoneId });
  report.forgotten(receipt, performance.now() - since);
  interrupt.help = `The erasure ${receipt.tombstoneId} is complete; only the proof was not made. ${leftBehind(database, target.tenantKey)}`;
  await interrupt.check();
  return { target, preview, before, receipt, copies: { before: filesBefore, after: copies.count() } };
}

/** One pepper for the run, and a key id that no other run has. The secret lives in this process only. */
function connectWithOnePepper(): (database: Database) => Memory {
  const letters = [...randomBytes(16)].map((byte) => String.fromCharCode(97 + (byte % 26))).join("");
  const subjectHashPepper = [{ id: `demo-${letters}`, secret: randomBytes(32) }];
  return (database) => new Memory({ store: new PgMemoryStore(database.queryable), subjectHashPepper });
}

async function serverVersion(database: Database): Promise<string> {
  const { rows } = await database.queryable.query<{ server_version: string }>("show server_version");
  return rows[0]?.server_version.split(" ")[0] ?? "unknown";
}

function leftBehind(database: Database, tenantKey: string): string {
  return database.kind === "embedded"
    ? `What was stored so far is in ${database.label}: delete that folder, or run the command again, which starts afresh beside it.`
    : `What was stored so far is in ${database.label} under the tenant ${tenantKey}. Run the command again to start afresh beside it.`;
}

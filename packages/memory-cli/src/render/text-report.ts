import type { ErasurePreview, ErasureReceipt, RecallResult } from "@demystify/memory";
import Table from "cli-table3";
import type { Person } from "../demo/people.js";
import type {
  CopiedFacts,
  DemoReport,
  DerivedFacts,
  FinishedFacts,
  OpenedFacts,
  RememberedFacts,
  WaitingFacts,
} from "../demo/report.js";
import { dayOf } from "../digest/periods.js";
import type { Conversation } from "../input/message.js";
import type { LiteralChoice } from "../proof/literals.js";
import type { Target } from "../proof/observe.js";
import type { Claim, Proof } from "../proof/prove.js";
import { describeNotCovered } from "./not-covered.js";
import { printable, shorten } from "./printable.js";
import { copiesBySink } from "./receipt-sheet.js";
import type { Paper } from "./sheet.js";
import { amount, digests, seconds, tally } from "./words.js";
import { wrap } from "./wrap.js";

/** The demo for people: each step as it ends, plain text, colours only on a terminal. */
export class TextReport implements DemoReport {
  readonly #paper: Paper;
  #step = 0;

  constructor(paper: Paper) {
    this.#paper = paper;
  }

  opened({ conversation, sample, people, database, tenantKey }: OpenedFacts): void {
    const file = `${printable(conversation.file)}${sample ? " (the sample that ships with this command)" : ""}`;
    const { blankLines, emptyTexts, messages } = conversation;
    this.#line(this.#paper.colors.bold("Agent memory you can erase, and prove it"));
    this.#line();
    this.#fact(
      "input",
      `${file}: ${amount(messages.length, "message")} of ${amount(people, "customer")}${span(conversation)}`,
    );
    if (blankLines + emptyTexts > 0) {
      this.#fact("skipped", `${amount(blankLines, "blank line")}, ${amount(emptyTexts, "message")} without text`);
    }
    const where = database.kind === "embedded" ? "embedded, in the folder" : "at";
    this.#fact(
      "database",
      `PostgreSQL ${database.postgres} ${where} ${printable(database.label)}, ${database.vectorSearch === "pgvector" ? "with" : "without"} pgvector`,
    );
    this.#fact("tenant", `${tenantKey}, for this run alone`);
  }

  remembered({ memories, redactions, milliseconds }: RememberedFacts): void {
    const masked = Object.values(redactions).reduce((sum, count) => sum + count, 0);
    this.#heading("Remember");
    this.#text(
      `${amount(memories, "memory", "memories")} stored in ${seconds(milliseconds)}, each under its customer.`,
    );
    this.#text(
      `${amount(masked, "identifier")} masked before the write${masked === 0 ? "" : `: ${tally(redactions)}`}.`,
    );
  }

  derived({ digests: made, milliseconds }: DerivedFacts): void {
    this.#heading("Derive");
    this.#text(`${digests(made)} in ${seconds(milliseconds)}. Each row records what it was made from.`);
  }

  copied({ sink, own, others }: CopiedFacts): void {
    this.#heading("Copy");
    this.#text(
      `${amount(own, "text")} of the person${others > 0 ? `, and ${others} of somebody else,` : ""} copied to ${sink}, files outside the database. Each copy was recorded before it was written.`,
    );
  }

  recalled(question: string, result: RecallResult): void {
    this.#heading("Recall", `"${printable(shorten(question, this.#paper.width - 14))}"`);
    for (const { kind, row, score } of result.hits) {
      const from = printable(kind === "memory" ? (row.subjectKey ?? "a memory") : row.kind);
      this.#line(shorten(`  ${score.toFixed(2)}  ${from}: ${printable(row.text)}`, this.#paper.width));
    }
    if (result.hits.length === 0) this.#text("no hits");
    this.#aside(`Note: ${result.note}`);
  }

  previewed(person: Person, target: Target, preview: ErasurePreview): void {
    const { counts, otherSubjects, rebuildable } = preview;
    this.#heading("Preview", `forgetting ${printable(person.subjectKey)} would erase`);
    this.#text(
      `${amount(counts.memories, "memory", "memories")} and ${amount(counts.derived, "derived row")} (${digests(target.digests)}).`,
    );
    this.#text(
      `${amount(otherSubjects, "other customer")} shared a digest with this person. ${amount(rebuildable.length, "row")} can be derived again from what is left.`,
    );
  }

  waiting({ receipt, errorCode, attempt }: WaitingFacts): void {
    const { yellow } = this.#paper.colors;
    this.#heading("Forget", "while the share with the copies cannot be reached");
    this.#text(
      `The rows are destroyed. ${yellow(`forget does not report success: ${errorCode}, state ${receipt.state}`)}, waiting for ${copiesBySink(receipt.outstanding)}.`,
    );
    this.#text(
      `The worker tries: ${attempt.failed} failed, ${attempt.confirmed} confirmed. It will try again; nothing is lost if it stops.`,
    );
  }

  forgotten(receipt: ErasureReceipt, milliseconds: number): void {
    const { counts } = receipt;
    const vouched = receipt.closure === "attested" ? " (a person vouched for it)" : "";
    const table = new Table({ style: { head: [], border: [], compact: true } });
    table.push(
      ["state", `${receipt.state}, closure ${receipt.closure ?? "open"}${vouched}`],
      ["tombstone", receipt.tombstoneId],
      [
        "person",
        `${receipt.subjectHash?.slice(0, 16) ?? "none"}… (${receipt.subjectHashKeyed ? "keyed hash" : "hash without a key"})`,
      ],
      ["asked by", `${receipt.requestedBy.role}: ${receipt.reason}, basis ${receipt.legalBasis}`],
      ["opened", receipt.openedAt],
      ["destroyed", receipt.destroyedAt ?? "not yet"],
      ["completed", receipt.completedAt ?? "not yet"],
      ["erased", `${amount(counts.memories, "memory", "memories")}, ${amount(counts.derived, "derived row")}`],
      ["provenance", `${amount(counts.provenanceEdges, "edge")}, ${amount(receipt.cascadeDepth, "level")} deep`],
      [
        "copies",
        `${counts.placements.total} recorded, ${counts.placements.confirmed} confirmed gone, ${counts.placements.outstanding} outstanding`,
      ],
    );
    this.#heading(
      "Finish",
      `the share is back: every copy removed, looked for and not found (${seconds(milliseconds)})`,
    );
    this.#line(table.toString().replace(/^/gm, "  "));
  }

  proved({ receipt }: Claim, choice: LiteralChoice, proof: Proof): void {
    const { green, red } = this.#paper.colors;
    this.#heading("Proof", "after closing the database and opening it anew");
    for (const { ok, claim, detail } of proof.checks) {
      this.#line(`  ${ok ? green("✓") : red("✗")} ${claim}`);
      this.#aside(detail, "      ");
    }
    const left = [
      ...(choice.shared > 0 ? [`${choice.shared} that other customers' data holds too`] : []),
      ...(choice.tooShort > 0 ? [`${choice.tooShort} too short to tell apart`] : []),
    ];
    if (left.length > 0) this.#text(`Not looked for: ${left.join(", ")}.`);
    const { otherTenantRows } = proof.after.scan;
    if (otherTenantRows > 0)
      this.#text(`Not read: ${amount(otherTenantRows, "row")} of other tenants, such as earlier runs.`);

    this.#line();
    this.#line("What a delete in Postgres does not reach:");
    for (const code of receipt.notCovered) this.#text(`- ${describeNotCovered(code)}`, "    ");
  }

  finished({ passed, checks, database, milliseconds }: FinishedFacts): void {
    const { green, red } = this.#paper.colors;
    const failed = checks.filter((check) => !check.ok).length;
    const verdict = passed
      ? green(`All ${checks.length} checks passed`)
      : red(`${failed} of ${checks.length} checks failed: do not rely on this erasure`);
    this.#line();
    this.#line(`${verdict} (${seconds(milliseconds)}).`);
    if (database.kind === "embedded") {
      this.#line(
        `The other customers' messages are still in ${printable(database.label)}; delete that folder when you are done.`,
      );
    }
  }

  #heading(title: string, rest = ""): void {
    this.#step += 1;
    this.#line();
    this.#line(`${this.#paper.colors.bold(`${this.#step}  ${title}`)}${rest === "" ? "" : `  ${rest}`}`);
  }

  #fact(name: string, value: string): void {
    this.#line(wrap(value, { width: this.#paper.width, lead: name.padEnd(10), indent: " ".repeat(10) }));
  }

  #text(text: string, indent = "  "): void {
    this.#line(wrap(text, { width: this.#paper.width, lead: "  ", indent }));
  }

  #aside(text: string, indent = "  "): void {
    this.#line(this.#paper.colors.dim(wrap(text, { width: this.#paper.width, lead: indent, indent })));
  }

  #line(text = ""): void {
    this.#paper.write(`${text}\n`);
  }
}

function span({ messages }: Conversation): string {
  const times = messages.flatMap((message) => (message.at === null ? [] : [message.at])).sort();
  const first = times[0];
  const last = times.at(-1);
  return first === undefined || last === undefined ? "" : `, ${dayOf(first)} to ${dayOf(last)}`;
}

import type { ErasurePreview, ErasureReceipt, RecallResult } from "@demystify/memory";
import type {
  CopiedFacts,
  DemoReport,
  DerivedFacts,
  FinishedFacts,
  OpenedFacts,
  RememberedFacts,
  WaitingFacts,
} from "../demo/report.js";
import type { Person } from "../demo/people.js";
import type { LiteralChoice } from "../proof/literals.js";
import type { Target } from "../proof/observe.js";
import type { Claim, Proof } from "../proof/prove.js";
import { FORMAT } from "./output.js";

/**
 * The demo as one JSON document, written when it ends. It is made to be kept beside the erasure, so it holds ids,
 * counts, codes and hashes, and neither a text nor a subject key.
 */
export class JsonReport implements DemoReport {
  readonly #write: (text: string) => void;
  readonly #document: Record<string, unknown> = { command: "demo", format: FORMAT };

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  opened({ conversation, sample, people, database, tenantKey }: OpenedFacts): void {
    const { file, format, messages, blankLines, emptyTexts } = conversation;
    this.#document["input"] = { file, format, sample, messages: messages.length, people, blankLines, emptyTexts };
    this.#document["database"] = database;
    this.#document["tenantKey"] = tenantKey;
  }

  remembered({ memories, redactions, milliseconds }: RememberedFacts): void {
    this.#document["remembered"] = { memories, redactions, milliseconds: Math.round(milliseconds) };
  }

  derived({ digests, milliseconds }: DerivedFacts): void {
    const rows: Record<string, number> = {};
    for (const { kind } of digests) rows[kind] = (rows[kind] ?? 0) + 1;
    this.#document["derived"] = { rows, milliseconds: Math.round(milliseconds) };
  }

  copied({ sink, own, others }: CopiedFacts): void {
    this.#document["copies"] = { sink, own, others };
  }

  recalled(_question: string, { strategy, ranking, note, coverage, hits }: RecallResult): void {
    this.#document["recall"] = {
      strategy,
      ranking,
      note,
      coverage,
      hits: hits.map((hit) => ({
        kind: hit.kind,
        id: hit.kind === "memory" ? hit.row.memoryId : hit.row.derivedId,
        score: hit.score,
      })),
    };
  }

  previewed(
    _person: Person,
    _target: Target,
    { counts, cascadeDepth, otherSubjects, sinks, rebuildable }: ErasurePreview,
  ): void {
    this.#document["preview"] = { counts, cascadeDepth, otherSubjects, sinks, rebuildable: rebuildable.length };
  }

  waiting({ receipt, errorCode, attempt }: WaitingFacts): void {
    const { state, owner, outstanding } = receipt;
    this.#document["whileDown"] = {
      errorCode,
      state,
      owner,
      outstanding: outstanding.length,
      attempt: { failed: attempt.failed, confirmed: attempt.confirmed },
    };
  }

  forgotten(receipt: ErasureReceipt, milliseconds: number): void {
    this.#document["receipt"] = receipt;
    this.#document["forgetMilliseconds"] = Math.round(milliseconds);
  }

  proved({ before }: Claim, choice: LiteralChoice, { checks, passed, after }: Proof): void {
    const scan = ({ tables, columns, rows, statistics, otherTenantRows, found }: typeof after.scan) => ({
      tables,
      columns,
      rows,
      statistics,
      otherTenantRows,
      literalsFound: found.size,
    });
    this.#document["proof"] = {
      passed,
      literals: { lookedFor: choice.own.length, sharedWithOthers: choice.shared, tooShort: choice.tooShort },
      before: { scan: scan(before.scan), others: before.others, totals: before.totals },
      after: { scan: scan(after.scan), others: after.others, totals: after.totals },
      checks,
    };
  }

  finished({ passed, milliseconds }: FinishedFacts): void {
    this.#document["ok"] = passed;
    this.#document["milliseconds"] = Math.round(milliseconds);
    this.#write(`${JSON.stringify(this.#document, null, 2)}\n`);
  }
}

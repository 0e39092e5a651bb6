import type { ErasurePreview, ErasureReceipt, RecallResult } from "@demystify/memory";
import type { MadeDigest } from "../digest/derive-digests.js";
import type { Conversation } from "../input/message.js";
import type { Check } from "../proof/checks.js";
import type { Target } from "../proof/observe.js";
import type { LiteralChoice } from "../proof/literals.js";
import type { Claim, Proof } from "../proof/prove.js";
import type { Person } from "./people.js";

/** What the demo tells, step by step. One report writes it for people, another as JSON. */
export interface DemoReport {
  opened(facts: OpenedFacts): void;
  remembered(facts: RememberedFacts): void;
  derived(facts: DerivedFacts): void;
  copied(facts: CopiedFacts): void;
  recalled(question: string, result: RecallResult): void;
  previewed(person: Person, target: Target, preview: ErasurePreview): void;
  /** The share is down: the erasure is in progress. */
  waiting(facts: WaitingFacts): void;
  /** The share is up again, and the erasure complete. */
  forgotten(receipt: ErasureReceipt, milliseconds: number): void;
  proved(claim: Claim, choice: LiteralChoice, proof: Proof): void;
  finished(facts: FinishedFacts): void;
}

export interface OpenedFacts {
  readonly conversation: Conversation;
  /** The conversation is the one that ships with the command. */
  readonly sample: boolean;
  readonly people: number;
  readonly database: {
    readonly kind: "embedded" | "server";
    readonly label: string;
    readonly postgres: string;
    readonly vectorSearch: "pgvector" | "in-process";
  };
  readonly tenantKey: string;
}

export interface RememberedFacts {
  readonly memories: number;
  /** Identifiers masked before the write, by kind. */
  readonly redactions: Readonly<Record<string, number>>;
  readonly milliseconds: number;
}

export interface DerivedFacts {
  readonly digests: readonly MadeDigest[];
  readonly milliseconds: number;
}

export interface CopiedFacts {
  readonly sink: string;
  readonly own: number;
  readonly others: number;
}

export interface WaitingFacts {
  readonly receipt: ErasureReceipt;
  /** What `forget` threw. */
  readonly errorCode: string;
  /** What the worker came to while the share was down. */
  readonly attempt: { readonly failed: number; readonly confirmed: number };
}

export interface FinishedFacts {
  readonly passed: boolean;
  readonly checks: readonly Check[];
  readonly database: OpenedFacts["database"];
  readonly tenantKey: string;
  readonly milliseconds: number;
}

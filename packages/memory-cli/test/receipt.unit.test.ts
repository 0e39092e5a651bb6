import type { ErasureReceipt } from "@demystify/memory";
import { describe, expect, test } from "vitest";
import { receiptHtml } from "../src/receipt/html.js";
import { receiptMarkdown } from "../src/receipt/markdown.js";
import { receiptPage } from "../src/receipt/page.js";

const COMPLETE: ErasureReceipt = {
  tombstoneId: "01a22e77-a583-7264-843c-18a828773890",
  tenantKey: "acme",
  scope: "subject",
  subjectHash: "a".repeat(64),
  subjectHashKeyed: true,
  reason: "subject_request",
  legalBasis: "gdpr_17_1_b",
  origin: "forget",
  requestedBy: { role: "data_principal", idHash: null },
  state: "complete",
  closure: "confirmed",
  owner: "library",
  openedAt: "2026-01-02T03:04:05.678Z",
  destroyedAt: "2026-01-02T03:04:06.000Z",
  completedAt: "2026-01-02T03:04:07.000Z",
  counts: {
    memories: 1,
    derived: 2,
    provenanceEdges: 3,
    placements: { total: 2, confirmed: 2, attested: 0, outstanding: 0 },
  },
  cascadeDepth: 2,
  matched: true,
  unknownIds: { alreadyErased: 0, neverSeen: 0 },
  rebuildable: [],
  otherSubjects: 0,
  outstanding: [],
  notCovered: ["backups", "unrecorded_copies"],
};

const OPEN: ErasureReceipt = {
  ...withoutEnd(COMPLETE),
  state: "escalated",
  owner: "person",
  escalation: { code: "hold_conflict", at: "2026-01-03T00:00:00.000Z" },
  counts: { ...COMPLETE.counts, placements: { total: 2, confirmed: 1, attested: 0, outstanding: 1 } },
  outstanding: [{ placementId: "p", sink: "search-index" }],
};

function withoutEnd({ completedAt: _at, closure: _closure, ...rest }: ErasureReceipt): ErasureReceipt {
  return rest;
}

describe("a receipt to read", () => {
  test("says in sentences what was removed, what was not reached, and why", () => {
    const page = receiptPage(COMPLETE);

    expect(page.verdict).toBe(
      "The erasure was completed on 2 January 2026, 03:04:07 UTC, and every recorded copy was confirmed gone.",
    );
    expect(page.removed).toEqual([
      "1 entry (what was stored about the person) was destroyed.",
      "2 derived entries (summaries and the like made from them, up to 2 steps away) were destroyed, with 3 records of what was made from what.",
      "2 copies were recorded in other systems: 2 confirmed gone, 0 vouched for by a person, 0 still outstanding.",
    ]);
    expect(page.notReached.map(({ code }) => code)).toEqual(["backups", "unrecorded_copies"]);
    expect(page.facts).toContainEqual(["Legal ground", "GDPR Article 17(1)(b): consent withdrawn"]);
    expect(page.open).toEqual([]);
  });

  test("never reads as a success while something is open", () => {
    const page = receiptPage(OPEN);
    const html = receiptHtml(page);

    expect(page.verdict).toContain("NOT complete");
    expect(page.open).toEqual([
      "Not confirmed gone: 1 copy in search-index.",
      "Entries shared with another person are under a legal hold.",
      "Next to act: a person at the controller.",
    ]);
    expect(html).toContain(`class="verdict incomplete"`);
    expect(html).not.toContain("confirmed gone.");
  });

  test("says when a person vouched, and when nothing was found", () => {
    expect(receiptPage({ ...COMPLETE, closure: "attested" }).verdict).toContain("a person vouches for it");
    expect(receiptPage({ ...COMPLETE, matched: false }).verdict).toContain("found nothing to erase");
  });

  test("keeps a ground that the owner added as the code it is", () => {
    expect(receiptPage({ ...COMPLETE, legalBasis: "lgpd_18" }).facts).toContainEqual(["Legal ground", "lgpd_18"]);
    expect(receiptPage({ ...COMPLETE, legalBasis: "constructor" }).facts).toContainEqual([
      "Legal ground",
      "constructor",
    ]);
  });
});

describe("a page", () => {
  const HOSTILE = `</td><script>alert("x")</script>'&\u202E\u0000\n# **bold** | [link](javascript:1)`;
  const page = receiptPage({ ...COMPLETE, tenantKey: HOSTILE });

  test("in HTML loads nothing, runs nothing, and takes nothing of a tenant's key as mark-up", () => {
    const html = receiptHtml(page);

    expect(html).toContain(`default-src 'none'`);
    expect(html).not.toMatch(/<script|<img|<link|src=|href=|url\(|@import/);
    expect(html).toContain("&lt;/td&gt;&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&amp;");
    for (const character of ["\u202E", "\0"]) expect(html).not.toContain(character);
  });

  test("in Markdown takes nothing of it either", () => {
    const line = receiptMarkdown(page)
      .split("\n")
      .find((each) => each.startsWith("| Held for"));

    expect(line).toContain("&lt;script&gt;");
    expect(line).toContain("\\*\\*bold\\*\\* \\| \\[link\\]");
  });
});

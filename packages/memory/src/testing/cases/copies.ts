import { holds, present, refused, same } from "../failure.js";
import { aCopyOf, aWord, forgetIncompletely, madeFrom, PRIYA, RAMESH, said, type Promised } from "../given.js";

const PROOF = { proof: "unfindable", by: "worker" } as const;
const VOUCHING = { by: "privacy-officer", reference: "CASE-1042" } as const;

/** No confirmation, no success; and who else may stand in the way. */
export const COPY_CASES: readonly Promised[] = [
  {
    name: "an erasure completes when the last copy is confirmed at its sink's level, and not before",
    async check({ memory, tenantKey, expectNowhere }) {
      const word = aWord();
      const source = await memory.remember(said(tenantKey, "one"));
      const summary = await memory.derive(madeFrom(source));
      await memory.sinks.register({ tenantKey, sink: "lookup-cache", requiredProof: "absent" });
      const { placement: first } = await memory.recordPlacement({ ...aCopyOf(source), ref: word });
      const { placement: second } = await memory.recordPlacement({ ...aCopyOf(summary), sink: "lookup-cache" });

      const open = await forgetIncompletely(memory, { tenantKey, subjectKey: RAMESH });
      const ref = { tenantKey, tombstoneId: open.tombstoneId };
      const outstanding = await memory.erasures.outstanding(ref);

      same("the state", [open.state, open.owner, open.counts.placements.outstanding], ["in_progress", "worker", 2]);
      same(
        "the copies outstanding",
        outstanding.map(({ sink, requiredProof, ref: at }) => [sink, requiredProof, at]).sort(),
        [
          ["lookup-cache", "absent", "point"],
          ["vector-index", "unfindable", word],
        ],
      );
      for (const proof of ["requested", "acknowledged", "absent"] as const) {
        await refused(`${proof} for unfindable`, "ERR_CONFIRMATION_REJECTED", () =>
          memory.erasures.confirm({ ...ref, placementId: first.placementId, proof, by: "worker" }),
        );
      }
      same("the state after promises", (await memory.erasures.resume(ref)).state, "in_progress");
      const one = await memory.erasures.confirm({ ...ref, placementId: first.placementId, ...PROOF });
      same("the state after one of two", [one.state, one.counts.placements.confirmed], ["in_progress", 1]);
      await expectNowhere(word);
      const two = await memory.erasures.confirm({
        ...ref,
        placementId: second.placementId,
        proof: "absent",
        by: "worker",
      });
      same("the end", [two.state, two.closure, two.counts.placements.confirmed], ["complete", "confirmed", 2]);
      same("the status", await memory.erasures.status(ref), two);
    },
  },
  {
    name: "a person's word completes as attested, never as confirmed",
    async check({ memory, tenantKey }) {
      const source = await memory.remember(said(tenantKey, "one"));
      const { placement } = await memory.recordPlacement(aCopyOf(source));
      const { tombstoneId } = await forgetIncompletely(memory, { tenantKey, subjectKey: RAMESH });
      const { placementId } = placement;
      const receipt = await memory.erasures.attest({ tenantKey, tombstoneId, placementId, ...VOUCHING });
      same("the end", [receipt.state, receipt.closure, receipt.owner], ["complete", "attested", "person"]);
    },
  },
  {
    name: "the same copy recorded twice is one, and a copy of several people holds up each of their erasures",
    async check({ memory, tenantKey }) {
      const ramesh = await memory.remember(said(tenantKey, "one"));
      const priya = await memory.remember(said(tenantKey, "two", PRIYA));
      const { placement } = await memory.recordPlacement(aCopyOf(ramesh, priya));
      const again = await memory.recordPlacement(aCopyOf(priya, ramesh));
      same("the copy recorded twice", again.placement, placement);
      const { placementId } = placement;
      const first = await forgetIncompletely(memory, { tenantKey, subjectKey: RAMESH });
      const second = await forgetIncompletely(memory, { tenantKey, subjectKey: PRIYA });
      same("outstanding for the second", second.outstanding, [{ placementId, sink: "vector-index" }]);
      await memory.erasures.confirm({ tenantKey, tombstoneId: first.tombstoneId, placementId, ...PROOF });
      for (const { tombstoneId } of [first, second]) {
        same("the end", (await memory.erasures.status({ tenantKey, tombstoneId })).state, "complete");
      }
    },
  },
  {
    name: "outstanding copies are leased to one owner at a time, with what was tried",
    async check({ memory, tenantKey }) {
      const source = await memory.remember(said(tenantKey, "one"));
      const { placement } = await memory.recordPlacement(aCopyOf(source));
      const { tombstoneId } = await forgetIncompletely(memory, { tenantKey, subjectKey: RAMESH });
      const ref = { tenantKey, tombstoneId };
      const lease = (owner: string, seconds: number) => memory.erasures.outstanding(ref, { lease: { owner, seconds } });
      same("leased", (await lease("worker-a", 3600)).length, 1);
      same("leased to somebody else", (await lease("worker-b", 3600)).length, 0);
      same("given back", (await lease("worker-a", 0)).length, 1);
      same("free again", (await lease("worker-b", 0)).length, 1);
      const { placementId } = placement;
      await memory.erasures.attempt({ ...ref, placementId, outcome: "failed", code: "timeout" });
      const [copy] = await memory.erasures.outstanding(ref);
      same("what was tried", [copy?.attempts, copy?.lastErrorCode], [1, "timeout"]);
    },
  },
  {
    name: "a slow writer is waited for, and what it writes late is outstanding again",
    async check({ memory, tenantKey }) {
      const source = await memory.remember(said(tenantKey, "one"));
      const { placement } = await memory.recordPlacement({ ...aCopyOf(source), writeWithin: 3600 });
      const { placementId } = placement;
      const { tombstoneId } = await forgetIncompletely(memory, { tenantKey, subjectKey: RAMESH });
      const ref = { tenantKey, tombstoneId };
      const confirm = (of: typeof ref) => memory.erasures.confirm({ ...of, placementId, ...PROOF });
      await refused("confirming before the writer", "ERR_CONFIRMATION_REJECTED", () => confirm(ref));
      await memory.placements.abandoned({ tenantKey, placementId });
      same("the end", (await confirm(ref)).state, "complete");
      await refused("a late write", "ERR_SOURCE_FORGOTTEN", () =>
        memory.placements.written({ tenantKey, placementId, ref: "late" }),
      );
      const { receipts } = await memory.erasures.list({ tenantKey, state: "in_progress" });
      const late = present("the erasure of the late copy", receipts[0]);
      same("its origin", [late.origin, late.outstanding.length], ["late_write", 1]);
      same("its end", (await confirm({ tenantKey, tombstoneId: late.tombstoneId })).state, "complete");
    },
  },
  {
    name: "a closure that nobody recorded is never certified: it escalates until a person vouches for it",
    async check({ memory, tenantKey }) {
      await memory.remember({ ...said(tenantKey, "legacy"), provenanceKnown: false });
      const open = await forgetIncompletely(memory, { tenantKey, subjectKey: RAMESH });
      const ref = { tenantKey, tombstoneId: open.tombstoneId };
      same("the state", [open.state, open.owner, open.escalation?.code], ["escalated", "person", "closure_unknown"]);
      same("resumed", (await memory.erasures.resume(ref)).state, "escalated");
      const receipt = await memory.erasures.attest({ ...ref, closure: true, ...VOUCHING });
      same("the end", [receipt.state, receipt.closure], ["complete", "attested"]);
    },
  },
  {
    name: "restricted rows are hidden and kept, and are back when the restriction is lifted",
    async check({ memory, tenantKey }) {
      const source = await memory.remember({ ...said(tenantKey, "hidden"), embedding: [1, 0] });
      const summary = await memory.derive(madeFrom(source));
      const { memoryId } = source.memory;
      const scope = { tenantKey, subjectKey: RAMESH };
      const { restrictionId } = await memory.restrictions.restrict({ ...scope, basis: "gdpr_18_1_a" });
      same("by id", await memory.getMemory(tenantKey, memoryId), null);
      same("derived", await memory.getDerived(tenantKey, summary.derived.derivedId), null);
      same("the list", (await memory.listMemories(scope)).rows, []);
      same("recall by terms", (await memory.recall({ tenantKey, text: "hidden" })).hits, []);
      same("recall by vector", (await memory.recall({ tenantKey, embedding: [1, 0] })).hits, []);
      await refused("deriving", "ERR_RESTRICTED", () => memory.derive(madeFrom(source)));
      same("no tombstone", await memory.erasureHistory(tenantKey), []);
      await memory.restrictions.lift({ tenantKey, restrictionId });
      same("by id again", await memory.getMemory(tenantKey, memoryId), source.memory);
    },
  },
  {
    name: "a legal hold refuses every destruction, and lets other people's erasures go as far as they can",
    async check({ memory, tenantKey, expectNowhere }) {
      const word = aWord();
      const ramesh = await memory.remember(said(tenantKey, word));
      const priya = await memory.remember(said(tenantKey, "held", PRIYA));
      const digest = await memory.derive(madeFrom(ramesh, priya));
      const { holdId } = await memory.holds.place({ tenantKey, subjectKey: PRIYA, code: "litigation" });
      await refused("forgetting the person", "ERR_LEGAL_HOLD", () => memory.forget({ tenantKey, subjectKey: PRIYA }));
      same(
        "refusals",
        (await memory.holds.list({ tenantKey })).map(({ refusals }) => refusals),
        [1],
      );
      const open = await forgetIncompletely(memory, { tenantKey, subjectKey: RAMESH });
      same("the state", [open.state, open.escalation?.code], ["escalated", "hold_conflict"]);
      same("the shared row", await memory.getDerived(tenantKey, digest.derived.derivedId), null);
      await expectNowhere(word);
      await memory.holds.release({ tenantKey, holdId });
      const receipt = await memory.erasures.resume({ tenantKey, tombstoneId: open.tombstoneId });
      same("the end", [receipt.state, receipt.counts.memories, receipt.counts.derived], ["complete", 1, 1]);
      same("the person's own row", await memory.getMemory(tenantKey, priya.memory.memoryId), priya.memory);
    },
  },
  {
    name: "off-boarding leaves nothing of a tenant but the evidence",
    async check({ memory, tenantKey, expectNowhere }) {
      const word = aWord();
      const one = await memory.remember(said(tenantKey, word));
      const two = await memory.remember(said(tenantKey, word, PRIYA));
      await memory.derive({ ...madeFrom(one, two), text: word });
      const result = await memory.erasures.forgetTenant({ tenantKey, confirm: tenantKey });
      same("the result", [result.complete, result.inProgress, result.more], [2, 0, false]);
      same("what is left", (await memory.listMemories({ tenantKey })).rows, []);
      holds("there is no evidence", (await memory.erasureHistory(tenantKey)).length === 2);
      same("the sweep", (await memory.erasures.reconcile({ tenantKey })).findings, []);
      await expectNowhere(word);
    },
  },
];

import { holds, present, refused, same } from "../failure.js";
import { aWord, madeFrom, PRIYA, RAMESH, said, type Promised } from "../given.js";

/** The cascade, the order of the steps, and what the receipt says of them. */
export const ERASING_CASES: readonly Promised[] = [
  {
    name: "everything derived is erased with its source: chains, diamonds, and digests of several people",
    async check({ memory, tenantKey, expectNowhere }) {
      const word = aWord();
      const one = await memory.remember(said(tenantKey, word));
      const two = await memory.remember(said(tenantKey, word));
      const priya = await memory.remember(said(tenantKey, "kept", PRIYA));
      const left = await memory.derive({ ...madeFrom(one), text: word });
      const right = await memory.derive({ ...madeFrom(one, two), text: word });
      const joined = await memory.derive({ ...madeFrom(left, right), text: word });
      const digest = await memory.derive({ ...madeFrom(priya, joined), text: word });
      const own = await memory.derive(madeFrom(priya));

      const receipt = await memory.forget({ tenantKey, subjectKey: RAMESH });

      same("the counts", receipt.counts, {
        memories: 2,
        derived: 4,
        provenanceEdges: 7,
        placements: { total: 0, confirmed: 0, attested: 0, outstanding: 0 },
      });
      same("the depth", receipt.cascadeDepth, 3);
      same("other persons who lost a row", receipt.otherSubjects, 1);
      same("what can be made again", receipt.rebuildable, [
        { derivedKind: "summary", survivingSources: [{ sourceKind: "memory", sourceId: priya.memory.memoryId }] },
      ]);
      for (const { derived } of [left, right, joined, digest]) {
        same("a row derived from an erased one", await memory.getDerived(tenantKey, derived.derivedId), null);
      }
      same("a row of somebody else", await memory.getDerived(tenantKey, own.derived.derivedId), own.derived);
      same("a memory of somebody else", await memory.getMemory(tenantKey, priya.memory.memoryId), priya.memory);
      await expectNowhere(word);
    },
  },
  {
    name: "a digest goes whichever of its sources goes, in whatever position",
    async check({ memory, newTenantKey }) {
      for (const position of [0, 1, 2, 3]) {
        const tenantKey = newTenantKey();
        const sources = [];
        for (const n of [0, 1, 2, 3]) sources.push(await memory.remember(said(tenantKey, "said", `person:${n}`)));
        const { derived } = await memory.derive(madeFrom(...sources));
        await memory.forget({ tenantKey, subjectKey: `person:${position}` });
        same(`a digest without source ${position}`, await memory.getDerived(tenantKey, derived.derivedId), null);
        same("the derived rows left", (await memory.listDerived({ tenantKey })).rows, []);
      }
    },
  },
  {
    name: "no tombstone, no destruction: the tombstone is there, and the closure hidden, before anything is destroyed",
    async check({ memory, tenantKey, store }) {
      const source = await memory.remember({ ...said(tenantKey, "hidden"), embedding: [1, 0] });
      const summary = await memory.derive(madeFrom(source));
      const { memoryId } = source.memory;
      const { derivedId } = summary.derived;

      const opened = await memory.erasures.open({ tenantKey, subjectKey: RAMESH });

      same("the state after opening", opened.state, "in_progress");
      same("destroyed after opening", opened.destroyedAt, undefined);
      same("the receipt as it is kept", await store.receipt(tenantKey, opened.tombstoneId), opened);
      const [tombstone] = await memory.erasureHistory(tenantKey);
      same("the tombstone", present("the tombstone", tombstone).tombstoneId, opened.tombstoneId);
      for (const [kind, id] of [
        ["memory", memoryId],
        ["derived", derivedId],
      ] as const) {
        same("the tombstone of a row", await store.tombstoneCovering(tenantKey, kind, id), opened.tombstoneId);
      }
      same("a memory by id", await memory.getMemory(tenantKey, memoryId), null);
      same("a derived row by id", await memory.getDerived(tenantKey, derivedId), null);
      same("the list", (await memory.listMemories({ tenantKey })).rows, []);
      same("the derived rows", (await memory.listDerived({ tenantKey })).rows, []);
      same("recall by terms", (await memory.recall({ tenantKey, text: "hidden" })).hits, []);
      same("recall by vector", (await memory.recall({ tenantKey, embedding: [1, 0] })).hits, []);
      await refused("auditing before it is closed", "ERR_FORGET_INCOMPLETE", () =>
        memory.erasures.assertAuditable({ tenantKey, memoryId }),
      );
    },
  },
  {
    name: "a row that no tombstone covers cannot be shown to be erased",
    async check({ memory, tenantKey }) {
      const { memory: row } = await memory.remember(said(tenantKey, "kept"));
      await refused("auditing a row that lives", "ERR_TOMBSTONE_ORDERING", () =>
        memory.erasures.assertAuditable({ tenantKey, memoryId: row.memoryId }),
      );
    },
  },
  {
    name: "an erasure that is stopped after every step, in steps of one row, ends like one that is not",
    async check({ memory, newTenantKey, store, expectNowhere }) {
      const receipts = [];
      for (const stepwise of [false, true]) {
        const tenantKey = newTenantKey();
        const word = aWord();
        const one = await memory.remember(said(tenantKey, word));
        await memory.remember(said(tenantKey, word));
        const summary = await memory.derive({ ...madeFrom(one), text: word });
        await memory.derive({ ...madeFrom(summary), text: word });
        if (stepwise) {
          const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: RAMESH });
          let steps = 0;
          while ((await store.advanceErasure(tenantKey, tombstoneId, 1)).advanced) steps += 1;
          holds("destruction in chunks took one step", steps > 2);
          const again = await store.advanceErasure(tenantKey, tombstoneId, 1);
          same("a step of a complete erasure", again.advanced, false);
          receipts.push(again.receipt);
        } else {
          receipts.push(await memory.forget({ tenantKey, subjectKey: RAMESH }));
        }
        await expectNowhere(word);
      }
      const [at, stepwise] = receipts.map(({ state, closure, counts, cascadeDepth, matched }) => ({
        state,
        closure,
        counts,
        cascadeDepth,
        matched,
      }));
      same("the end", stepwise, at);
    },
  },
  {
    name: "a second request joins what is open, and afterwards is told that there was nothing",
    async check({ memory, tenantKey }) {
      await memory.remember(said(tenantKey, "one"));
      const opened = await memory.erasures.open({ tenantKey, subjectKey: RAMESH });
      const joined = await memory.forget({ tenantKey, subjectKey: RAMESH });
      const later = await memory.forget({ tenantKey, subjectKey: RAMESH });
      same("the erasure joined", joined.tombstoneId, opened.tombstoneId);
      holds("a complete erasure was joined", later.tombstoneId !== opened.tombstoneId);
      same(
        "what there was",
        { matched: later.matched, memories: later.counts.memories },
        { matched: false, memories: 0 },
      );
      same("the tombstones", (await memory.erasureHistory(tenantKey)).length, 2);
    },
  },
  {
    name: "the same request id gets the same receipt, and is refused for another scope",
    async check({ memory, tenantKey }) {
      await memory.remember(said(tenantKey, "one"));
      const request = { tenantKey, subjectKey: RAMESH, requestId: "ticket" };
      const first = await memory.forget(request);
      same("the receipt again", await memory.forget(request), first);
      await refused("the request id for somebody else", "ERR_INVALID_INPUT", () =>
        memory.forget({ ...request, subjectKey: PRIYA }),
      );
    },
  },
  {
    name: "a receipt is the same from forget, from status and in lists, and survives JSON",
    async check({ memory, tenantKey }) {
      const one = await memory.remember(said(tenantKey, "one"));
      const two = await memory.remember(said(tenantKey, "two"));
      const summary = await memory.derive(madeFrom(one));
      const receipt = await memory.forget({
        tenantKey,
        memoryIds: [one.memory.memoryId],
        reason: "operator",
        legalBasis: "dpdp_12",
        requestedBy: { role: "controller" },
      });
      const { tombstoneId } = receipt;
      const { counts, reason, legalBasis, requestedBy, scope, origin, state, closure } = receipt;
      same(
        "the receipt",
        { reason, legalBasis, requestedBy, scope, origin, state, closure },
        {
          reason: "operator",
          legalBasis: "dpdp_12",
          requestedBy: { role: "controller", idHash: null },
          scope: "memories",
          origin: "forget",
          state: "complete",
          closure: "confirmed",
        },
      );
      same("the counts", [counts.memories, counts.derived, counts.provenanceEdges], [1, 1, 1]);
      holds("a receipt covers everything", receipt.notCovered.length > 0);
      same("the receipt through JSON", JSON.parse(JSON.stringify(receipt)), receipt);
      same("the status", await memory.erasures.status({ tenantKey, tombstoneId }), receipt);
      same("the list", (await memory.erasures.list({ tenantKey })).receipts, [receipt]);
      same(
        "the audit",
        await memory.erasures.assertAuditable({ tenantKey, derivedId: summary.derived.derivedId }),
        receipt,
      );
      same("a memory that was not chosen", await memory.getMemory(tenantKey, two.memory.memoryId), two.memory);
    },
  },
  {
    name: "chosen ids that are gone or never were are counted as such",
    async check({ memory, tenantKey }) {
      const gone = await memory.remember(said(tenantKey, "gone"));
      const here = await memory.remember(said(tenantKey, "here"));
      await memory.forget({ tenantKey, memoryIds: [gone.memory.memoryId] });
      const memoryIds = [gone.memory.memoryId, here.memory.memoryId, "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a"];
      const receipt = await memory.forget({ tenantKey, memoryIds });
      same("the ids that named nothing", receipt.unknownIds, { alreadyErased: 1, neverSeen: 1 });
      same("the memories erased", receipt.counts.memories, 1);
    },
  },
  {
    name: "what a preview and an export show is what goes, and a changed closure is refused",
    async check({ memory, tenantKey }) {
      const one = await memory.remember(said(tenantKey, "one"));
      await memory.derive(madeFrom(one));
      const stale = await memory.previewForget({ tenantKey, subjectKey: RAMESH });
      await memory.derive(madeFrom(one));
      await refused("forgetting by an old preview", "ERR_STALE_PREVIEW", () =>
        memory.forget({ tenantKey, subjectKey: RAMESH, previewToken: stale.token }),
      );
      const preview = await memory.previewForget({ tenantKey, subjectKey: RAMESH });
      const exported: string[] = [];
      for await (const { kind, row } of memory.exportSubject({ tenantKey, subjectKey: RAMESH })) {
        if (kind === "memory" && "memoryId" in row) exported.push(row.memoryId);
        if (kind === "derived" && "derivedId" in row) exported.push(row.derivedId);
      }
      const receipt = await memory.forget({ tenantKey, subjectKey: RAMESH, previewToken: preview.token });
      const ids = [...preview.ids.memories, ...preview.ids.derived].sort();
      same("the rows exported", exported.sort(), ids);
      same("the rows erased", receipt.counts.memories + receipt.counts.derived, ids.length);
      for await (const line of memory.erasures.exportTombstones({ tenantKey })) {
        const record = JSON.parse(line) as { memoryIds: string[]; derivedIds: string[] };
        same("the ids in the evidence", [...record.memoryIds, ...record.derivedIds].sort(), ids);
      }
    },
  },
  {
    name: "a correction stores the new text and erases the old one with all derived from it",
    async check({ memory, tenantKey, expectNowhere }) {
      const word = aWord();
      const wrong = await memory.remember(said(tenantKey, word));
      const summary = await memory.derive({ ...madeFrom(wrong), text: word });
      const { memory: right, receipt } = await memory.correct({
        tenantKey,
        memoryId: wrong.memory.memoryId,
        text: "corrected",
      });
      same("the list", (await memory.listMemories({ tenantKey })).rows, [right]);
      same("the old summary", await memory.getDerived(tenantKey, summary.derived.derivedId), null);
      same(
        "the receipt",
        { origin: receipt.origin, memories: receipt.counts.memories, derived: receipt.counts.derived },
        {
          origin: "correction",
          memories: 1,
          derived: 1,
        },
      );
      await expectNowhere(word);
    },
  },
  {
    name: "exported tombstones erase again what a restore brought back, and only that",
    async check({ memory, newTenantKey }) {
      const [tenantKey, restored] = [newTenantKey(), newTenantKey()];
      await memory.forget({ tenantKey, subjectKey: RAMESH });
      const back = await memory.remember(said(restored, "back"));
      const kept = await memory.remember(said(restored, "kept", PRIYA));
      const tombstones = [];
      for await (const line of memory.erasures.exportTombstones({ tenantKey })) {
        const record = JSON.parse(line) as Record<string, unknown>;
        tombstones.push(
          JSON.stringify({
            ...record,
            tenantKey: restored,
            subjectHash: memory.subjectFingerprint(restored, RAMESH),
            memoryIds: [back.memory.memoryId],
          }),
        );
      }
      const first = await memory.erasures.replay({ tenantKey: restored, tombstones });
      const second = await memory.erasures.replay({ tenantKey: restored, tombstones });
      same(
        "replayed",
        [first.replayed, first.receipts[0]?.origin, first.receipts[0]?.counts.memories],
        [1, "replay", 1],
      );
      same("replayed again", [second.replayed, second.alreadyKnown], [0, 1]);
      same("what is left", (await memory.listMemories({ tenantKey: restored })).rows, [kept.memory]);
    },
  },
];

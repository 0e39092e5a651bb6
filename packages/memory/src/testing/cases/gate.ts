import { holds, present, refused, same } from "../failure.js";
import { aCopyOf, aWord, madeFrom, PRIYA, RAMESH, said, type Given, type Promised } from "../given.js";

const PEPPER = "a secret of at least thirty-two bytes";
const LONG_AGO = "2001-09-09T01:46:40.000Z";

/** No way back for what was forgotten, and an open door for what is new. */
export const GATE_CASES: readonly Promised[] = [
  {
    name: "nothing is made from a forgotten row, while its erasure is open and after",
    async check({ memory, tenantKey }) {
      const source = await memory.remember(said(tenantKey, "one"));
      const summary = await memory.derive(madeFrom(source));
      const { tombstoneId } = await memory.erasures.open({ tenantKey, subjectKey: RAMESH });
      for (const complete of [false, true]) {
        if (complete) await memory.erasures.resume({ tenantKey, tombstoneId });
        for (const row of [source, summary]) {
          await refused("deriving from a forgotten row", "ERR_SOURCE_FORGOTTEN", () => memory.derive(madeFrom(row)));
          await refused("copying a forgotten row", "ERR_SOURCE_FORGOTTEN", () => memory.recordPlacement(aCopyOf(row)));
        }
      }
      same("the derived rows", (await memory.listDerived({ tenantKey })).rows, []);
    },
  },
  {
    name: "an erased id cannot be stored again",
    async check(given) {
      const { memory, tenantKey, store } = given;
      const { memory: row } = await memory.remember(said(tenantKey, "one"));
      await memory.forget({ tenantKey, subjectKey: RAMESH });
      const [outcome] = await store.insertMemories(tenantKey, [aRow(given, row.memoryId)], {
        keys: [{ keyId: null, check: null }],
        onRematerialise: "report",
      });
      const { status } = present("the outcome", outcome);
      same("storing an erased id", status, "refused");
      same("the list", (await memory.listMemories({ tenantKey })).rows, []);
    },
  },
  {
    name: "data from before a person was forgotten is refused, not stored and hidden",
    async check({ memory, tenantKey }) {
      await memory.remember(said(tenantKey, "one"));
      await memory.forget({ tenantKey, subjectKey: RAMESH });
      const late = { ...said(tenantKey, "late"), capturedAt: LONG_AGO };
      await refused("late data", "ERR_SUBJECT_FORGOTTEN", () => memory.remember(late));
      await refused("late data that is also about them", "ERR_SUBJECT_FORGOTTEN", () =>
        memory.remember({ ...late, subjectKey: PRIYA, alsoAbout: [RAMESH] }),
      );
      const { memory: other } = await memory.remember({ ...late, subjectKey: PRIYA });
      same("the list", (await memory.listMemories({ tenantKey })).rows, [other]);
    },
  },
  {
    name: "new data of a forgotten person is stored and visible",
    async check({ memory, tenantKey }) {
      await memory.remember(said(tenantKey, "one"));
      await memory.forget({ tenantKey, subjectKey: RAMESH });
      const again = await memory.remember({ ...said(tenantKey, "came back"), embedding: [1, 0] });
      const summary = await memory.derive(madeFrom(again));
      same("by id", await memory.getMemory(tenantKey, again.memory.memoryId), again.memory);
      same("the list", (await memory.listMemories({ tenantKey, subjectKey: RAMESH })).rows, [again.memory]);
      same(
        "by terms",
        (await memory.recall({ tenantKey, text: "came" })).hits.map(({ row }) => row),
        [again.memory],
      );
      same(
        "by vector",
        (await memory.recall({ tenantKey, embedding: [1, 0] })).hits.map(({ row }) => row),
        [again.memory],
      );
      same("derived", await memory.getDerived(tenantKey, summary.derived.derivedId), summary.derived);
    },
  },
  {
    name: "an erasure of chosen memories closes their ids, and not the person",
    async check({ memory, tenantKey }) {
      const { memory: row } = await memory.remember(said(tenantKey, "one"));
      await memory.forget({ tenantKey, memoryIds: [row.memoryId] });
      const { memory: late } = await memory.remember({ ...said(tenantKey, "late"), capturedAt: LONG_AGO });
      same("the list", (await memory.listMemories({ tenantKey })).rows, [late]);
    },
  },
  {
    name: "an erased text that comes back is reported, or refused where the host says so",
    async check({ tenantKey, reopened }) {
      const word = aWord();
      const reporting = reopened({ subjectHashPepper: PEPPER });
      const refusing = reopened({ subjectHashPepper: PEPPER, onRematerialise: "refuse" });
      await reporting.remember(said(tenantKey, word));
      await reporting.forget({ tenantKey, subjectKey: RAMESH });
      await refused("an erased text", "ERR_CONTENT_FORGOTTEN", () => refusing.remember(said(tenantKey, word)));
      const back = await reporting.remember(said(tenantKey, word));
      const fresh = await reporting.remember(said(tenantKey, aWord()));
      same("reported", [back.rematerialised, fresh.rematerialised], [true, undefined]);
      const { findings } = await reporting.erasures.reconcile({ tenantKey });
      same(
        "the sweep",
        findings.map(({ code, id }) => [code, id]),
        [["content_reappeared", back.memory.memoryId]],
      );
    },
  },
  {
    name: "the store says what a tombstone covers",
    async check({ memory, tenantKey }) {
      const gone = await memory.remember(said(tenantKey, "gone"));
      const summary = await memory.derive(madeFrom(gone));
      await memory.forget({ tenantKey, subjectKey: RAMESH });
      const here = await memory.remember(said(tenantKey, "here"));
      same(
        "what is forgotten",
        await memory.isForgotten({
          tenantKey,
          memoryIds: [here.memory.memoryId, gone.memory.memoryId],
          derivedIds: [summary.derived.derivedId],
        }),
        { memoryIds: [gone.memory.memoryId], derivedIds: [summary.derived.derivedId], contents: [] },
      );
    },
  },
  {
    name: "a refusal quotes nothing of what it refuses",
    async check({ memory, tenantKey, store }) {
      const word = aWord();
      const source = await memory.remember(said(tenantKey, "one", `customer:${word}`));
      await memory.forget({ tenantKey, subjectKey: `customer:${word}` });
      const kept = await memory.remember(said(tenantKey, word, `customer:${word}`));
      const forgotten = { ...madeFrom(source), text: word, metadata: { [word]: word } };
      const unknown = {
        ...forgotten,
        sources: [{ sourceKind: "memory", sourceId: "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a" }],
      } as const;
      const late = { ...said(tenantKey, word, `customer:${word}`), capturedAt: LONG_AGO, metadata: { note: word } };
      await memory.holds.place({ tenantKey, subjectKey: `customer:${word}`, code: "litigation" });
      const errors = [
        await refused("a forgotten source", "ERR_SOURCE_FORGOTTEN", () => memory.derive(forgotten)),
        await refused("an unknown source", "ERR_UNKNOWN_SOURCE", () => memory.derive(unknown)),
        await refused("a copy of one", "ERR_SOURCE_FORGOTTEN", () =>
          memory.recordPlacement({ ...aCopyOf(source), ref: word }),
        ),
        await refused("late data", "ERR_SUBJECT_FORGOTTEN", () => memory.remember(late)),
        await refused("a held row", "ERR_LEGAL_HOLD", () =>
          memory.forget({ tenantKey, memoryIds: [kept.memory.memoryId] }),
        ),
      ];
      const batch = await store.insertDerived(tenantKey, []);
      same("an empty batch", batch, []);
      for (const error of errors) {
        holds(`${error.name} quotes what it refused`, !everythingIn(error).includes(word));
      }
    },
  },
];

function aRow({ memory, tenantKey }: Given, memoryId: string) {
  const written = { hash: memory.subjectFingerprint(tenantKey, RAMESH), keyId: null, check: null };
  return {
    memoryId,
    subjects: [{ subjectKey: RAMESH, written, known: [written] }],
    kind: "memory",
    text: "again",
    metadata: {},
    embedding: null,
    termHashes: [],
    contentTags: [],
    capturedAt: null,
    expiresAt: null,
    idempotencyHash: null,
    provenanceKnown: true,
  } as const;
}

function everythingIn(error: Error): string {
  const cause = error.cause instanceof Error ? everythingIn(error.cause) : JSON.stringify(error.cause ?? null);
  return [error.message, error.stack ?? "", JSON.stringify(error), JSON.stringify(Object.values(error)), cause].join(
    "\n",
  );
}

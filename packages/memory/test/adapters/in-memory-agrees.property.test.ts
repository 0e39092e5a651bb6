import fc from "fast-check";
import { expect, test } from "vitest";
import { InMemoryStore, MemoryError } from "../../src/index.js";
import type { MemoryStore, OpenErasure, StoreScope, StoreSubject } from "../../src/index.js";
import { Keyring } from "../../src/hash/keyring.js";
import { readPepper } from "../../src/hash/pepper.js";
import { RECONCILE_STAGES } from "../../src/ports/upkeep-store.js";
import { newId } from "../../src/use-cases/new-id.js";
import { requestedLegs } from "../support/legs.js";
import { openPglite } from "../support/postgres-legs.js";

const KEYRING = new Keyring(readPepper("a pepper that is only used in this test", "pepper"));
const PERSONS = ["ramesh", "priya", "asha"];
const TEXTS = ["tea", "rice", "a longer text of more than forty characters, for its shared tag"];

interface Step {
  readonly verb: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/** What both stores have been told so far, under the same ids. */
class World {
  readonly memories: string[] = [];
  readonly derived: string[] = [];
  readonly placements: string[] = [];
  readonly tombstones: string[] = [];
  readonly restrictions: (readonly string[])[] = [];
  readonly holds: (readonly string[])[] = [];

  constructor(
    readonly tenantKey: string,
    readonly stores: readonly MemoryStore[],
  ) {}

  subject(n: number): StoreSubject {
    const subjectKey = PERSONS[n % PERSONS.length] ?? "";
    const known = KEYRING.subject(this.tenantKey, subjectKey);
    return { subjectKey, written: known[0], known };
  }

  /** Does the same on each store, and gives what each answered, with errors as values. */
  async each<T>(call: (store: MemoryStore, index: number) => Promise<T>): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const [index, store] of this.stores.entries()) {
      answers.push(await call(store, index).catch(errorAsValue));
    }
    return answers;
  }
}

function errorAsValue(error: unknown): unknown {
  if (!(error instanceof MemoryError)) throw error;
  const late = error.code === "ERR_CONTENT_FORGOTTEN" ? "ERR_SUBJECT_FORGOTTEN" : error.code;
  return { code: late, ids: "sourceIds" in error ? [...(error.sourceIds as string[])].sort() : [] };
}

const pick = <T>(list: readonly T[], n: number): T | undefined =>
  list.length === 0 ? undefined : list[n % list.length];
const some = (list: readonly string[], n: number) =>
  list.filter((_, index) => ((n >> (index % 16)) & 1) === 1).slice(0, 3);

function request(world: World, target: StoreScope, origin: OpenErasure["origin"] = "forget"): OpenErasure {
  const tombstoneId = newId();
  world.tombstones.push(tombstoneId);
  return {
    tenantKey: world.tenantKey,
    tombstoneId,
    target,
    reason: "operator",
    legalBasis: "unspecified",
    origin,
    requestedBy: { role: "operator", idHash: null },
    requestHash: null,
    previewToken: null,
  };
}

function target(world: World, { a, b, c }: Step): StoreScope {
  const memoryId = pick(world.memories, b);
  if (a % 3 === 0 || memoryId === undefined) return { scope: "subject", subject: world.subject(b) };
  if (a % 3 === 1)
    return {
      scope: "memories",
      memoryIds: [...new Set([memoryId, ...some(world.memories, c)])],
      subject: c % 2 ? world.subject(c) : null,
    };
  return { scope: "derived", derivedIds: some(world.derived, b), placementIds: some(world.placements, c) };
}

const VERBS: readonly ((world: World, step: Step) => Promise<unknown[]>)[] = [
  async function remember(world, { a, b, c }) {
    const subjects = [...new Set([a, ...(b % 3 === 0 ? [b] : [])].map((n) => n % PERSONS.length))].map((n) =>
      world.subject(n),
    );
    const text = pick(TEXTS, c) ?? "";
    const memoryId = newId();
    world.memories.push(memoryId);
    const row = {
      memoryId,
      subjects: subjects as [StoreSubject, ...StoreSubject[]],
      kind: "memory",
      text,
      metadata: {},
      embedding: null,
      termHashes: [BigInt(c % 3)],
      contentTags: KEYRING.contentTags(
        world.tenantKey,
        subjects.map(({ subjectKey }) => subjectKey ?? ""),
        text,
      ),
      capturedAt: c % 4 === 0 ? "2001-01-01T00:00:00.000Z" : null,
      expiresAt: b % 5 === 0 ? "2002-02-02T00:00:00.000Z" : null,
      idempotencyHash: c % 7 === 0 ? KEYRING.idempotencyHash(world.tenantKey, "k") : null,
      provenanceKnown: b % 7 !== 1,
    };
    return world.each((store) =>
      store.insertMemories(world.tenantKey, [row], {
        keys: KEYRING.keys,
        onRematerialise: a % 2 ? "report" : "refuse",
      }),
    );
  },
  async function derive(world, { a, b }) {
    const derivedId = newId();
    const sourceMemories = some(world.memories, a);
    const sourceDerived = some(world.derived, b);
    if (sourceMemories.length + sourceDerived.length === 0) return [];
    world.derived.push(derivedId);
    const row = {
      derivedId,
      kind: "summary",
      text: TEXTS[2] ?? "",
      metadata: {},
      embedding: null,
      termHashes: [1n],
      contentTags: KEYRING.contentTags(world.tenantKey, [], TEXTS[2] ?? ""),
      sourceMemories,
      sourceDerived,
    };
    return world.each((store) => store.insertDerived(world.tenantKey, [row]));
  },
  async function recordPlacement(world, { a, b, c }) {
    const placementId = newId();
    const sourceMemories = some(world.memories, a);
    const sourceDerived = some(world.derived, b);
    if (sourceMemories.length + sourceDerived.length === 0) return [];
    world.placements.push(placementId);
    const placement = {
      placementId,
      sink: pick(["cache", "index"], c) ?? "",
      ref: "somewhere",
      kind: "vector",
      sourceMemories,
      sourceDerived,
      fingerprint: KEYRING.requestHash(world.tenantKey, placementId),
      writeWithinSeconds: pick([null, 0, 3600], c) ?? null,
    };
    return world.each((store) => store.placements.recordPlacement(world.tenantKey, placement));
  },
  async function written(world, { a, b }) {
    const placementId = pick(world.placements, a) ?? newId();
    return world.each((store) =>
      store.placements.placementWritten(world.tenantKey, placementId, b % 2 ? "again" : null),
    );
  },
  async function abandoned(world, { a }) {
    const placementId = pick(world.placements, a) ?? newId();
    return world.each((store) => store.placements.placementAbandoned(world.tenantKey, placementId));
  },
  async function registerSink(world, { a, b }) {
    const proof = pick(["absent", "unfindable", "purged"] as const, a) ?? "absent";
    return world.each((store) => store.placements.registerSink(world.tenantKey, b % 2 ? "cache" : "other", proof));
  },
  async function open(world, step) {
    const opening = request(world, target(world, step));
    return world.each((store) => store.openErasure(opening));
  },
  async function advance(world, { a, b }) {
    const tombstoneId = pick(world.tombstones, a) ?? newId();
    return world.each((store) => store.advanceErasure(world.tenantKey, tombstoneId, 50 + b));
  },
  async function finish(world, { a }) {
    const tombstoneId = pick(world.tombstones, a) ?? newId();
    return world.each(async (store) => {
      for (;;) {
        const { advanced, receipt } = await store.advanceErasure(world.tenantKey, tombstoneId, 1 + (a % 3));
        if (!advanced) return receipt;
      }
    });
  },
  async function attempt(world, { a, b, c }) {
    const [tombstoneId, placementId] = [pick(world.tombstones, a) ?? newId(), pick(world.placements, b) ?? newId()];
    const outcome = pick(["requested", "acknowledged", "failed"] as const, c) ?? "failed";
    const code = outcome === "failed" && c % 2 ? "timeout" : null;
    return world.each((store) =>
      store.placements.recordAttempt(world.tenantKey, { tombstoneId, placementId, outcome, code }),
    );
  },
  async function confirm(world, { a, b, c }) {
    const [tombstoneId, placementId] = [pick(world.tombstones, a) ?? newId(), pick(world.placements, b) ?? newId()];
    const proof = pick(["acknowledged", "absent", "unfindable", "purged", "purged", "purged"] as const, c) ?? "purged";
    return world.each((store) =>
      store.placements.confirmPlacement(world.tenantKey, { tombstoneId, placementId, proof, by: "worker" }),
    );
  },
  async function attest(world, { a, b, c }) {
    const tombstoneId = pick(world.tombstones, a) ?? newId();
    const placementId = c % 2 ? null : (pick(world.placements, b) ?? newId());
    return world.each((store) =>
      store.placements.attest(world.tenantKey, { tombstoneId, placementId, by: "officer", reference: "DPO-1" }),
    );
  },
  async function escalate(world, { a }) {
    const tombstoneId = pick(world.tombstones, a) ?? newId();
    return world.each((store) => store.placements.escalate(world.tenantKey, tombstoneId, "sink_gone"));
  },
  async function outstanding(world, { a, b, c }) {
    const tombstoneId = pick(world.tombstones, a) ?? newId();
    const lease = b % 2 ? { owner: pick(["one", "two"], c) ?? "", seconds: b % 3 ? 3600 : 0 } : null;
    return world.each((store) => store.placements.outstanding(world.tenantKey, tombstoneId, lease));
  },
  async function restrict(world, step) {
    const scope = target(world, { ...step, a: step.a % 2 });
    const answers = await world.each((store) => store.restrictions.restrict(world.tenantKey, scope, "operator"));
    if (answers.every((answer) => "restrictionId" in (answer as object))) {
      world.restrictions.push(answers.map((answer) => (answer as { restrictionId: string }).restrictionId));
      return [];
    }
    return answers;
  },
  async function lift(world, { a }) {
    const ids = pick(world.restrictions, a);
    return world.each((store, index) => store.restrictions.liftRestriction(world.tenantKey, ids?.[index] ?? newId()));
  },
  async function hold(world, { a, b }) {
    const until = b % 4 === 0 ? "2001-01-01T00:00:00.000Z" : null;
    const answers = await world.each((store) =>
      store.restrictions.placeHold(world.tenantKey, world.subject(a), "litigation", until),
    );
    world.holds.push(answers.map((answer) => (answer as { holdId: string }).holdId));
    return [];
  },
  async function release(world, { a }) {
    const ids = pick(world.holds, a);
    return world.each((store, index) => store.restrictions.releaseHold(world.tenantKey, ids?.[index] ?? newId()));
  },
  async function correct(world, { a, b, c }) {
    const old = pick(world.memories, a) ?? newId();
    const text = pick(TEXTS, b) ?? "";
    const memoryId = newId();
    world.memories.push(memoryId);
    const opening = request(
      world,
      { scope: "memories", memoryIds: [old], subject: c % 3 ? world.subject(c) : null },
      "correction",
    );
    const contentTags = KEYRING.contentTags(world.tenantKey, ["ramesh"], text);
    const correction = { memoryId, text, embedding: null, termHashes: [2n], contentTags };
    return world.each((store) => store.upkeep.correct(opening, correction, 1000));
  },
  async function replay(world, { a }) {
    const records = await world.each((store) =>
      store.upkeep.exportTombstones(world.tenantKey, { limit: 1000, after: null }),
    );
    const tombstoneId = newId();
    const at = (records[0] as readonly unknown[]).length === 0 ? 0 : a % (records[0] as readonly unknown[]).length;
    if ((records[0] as readonly unknown[]).length === 0) return [];
    const answers = await world.each((store, index) => {
      const record = (records[index] as Parameters<typeof store.upkeep.openReplay>[2][])[at];
      if (record === undefined) throw new Error("the stores hold different tombstones");
      return store.upkeep.openReplay(world.tenantKey, tombstoneId, record);
    });
    if (answers[0] !== null) world.tombstones.push(tombstoneId);
    return answers;
  },
];

async function everything({ tenantKey, ...world }: World, store: MemoryStore): Promise<unknown> {
  const self = new World(tenantKey, []);
  const found: Record<string, unknown> = {};
  const page = { missingVector: null, limit: 1000, cursor: null };
  const ids = [...world.memories, ...world.derived, ...world.placements];
  found["receipts"] = await store.listReceipts(tenantKey, { state: null, olderThan: null, limit: 1000, cursor: null });
  found["tombstones"] = await store.tombstones(tenantKey, { subject: null, limit: 1000, before: null });
  found["memories"] = await store.listMemories(tenantKey, { ...page, subject: null });
  found["derived"] = await store.listDerived(tenantKey, { ...page, subject: null });
  found["holds"] = await store.restrictions.listHolds(tenantKey);
  found["sinks"] = await store.placements.listSinks(tenantKey);
  found["expired"] = await store.upkeep.expiredMemories(tenantKey, 3);
  const { subjects, ...rest } = await store.upkeep.subjectsWithRows(tenantKey, 1000);
  found["subjects"] = { subjects: subjects.map((known) => known.map(({ hash }) => hash).join()).sort(), ...rest };
  found["covered"] = await store.upkeep.covered(tenantKey, {
    ids,
    tags: TEXTS.flatMap((text) => PERSONS.map((person) => KEYRING.contentTags(tenantKey, [person], text))),
    keys: KEYRING.keys,
  });
  for (const [index, person] of PERSONS.entries()) {
    const subject = self.subject(index);
    const scope = { scope: "subject", subject } as const;
    found[`preview ${person}`] = await store.previewErasure(tenantKey, scope);
    found[`history ${person}`] = await store.tombstones(tenantKey, {
      subject: subject.known,
      limit: 1000,
      before: null,
    });
    found[`list ${person}`] = await store.listDerived(tenantKey, { ...page, subject: subject.known });
    let after: string | null = null;
    const lines: unknown[] = [];
    do {
      const part: Awaited<ReturnType<typeof store.upkeep.exportPage>> = await store.upkeep.exportPage(
        tenantKey,
        scope,
        {
          includeShared: index === 1,
          limit: 2,
          after,
        },
      );
      lines.push(...part.rows);
      after = part.next;
    } while (after !== null);
    found[`export ${person}`] = lines;
  }
  for (const stage of RECONCILE_STAGES.slice(1)) {
    let after: string | null = null;
    const findings: unknown[] = [];
    do {
      const part: Awaited<ReturnType<typeof store.upkeep.reconcilePage>> = await store.upkeep.reconcilePage(tenantKey, {
        stage,
        after,
        limit: 3,
      });
      findings.push(...part.findings, ...part.persons, { untagged: part.untagged, looked: part.looked });
      after = part.next;
    } while (after !== null);
    // Of a person whose row was refused one store keeps the hash and the other does not: pages may end elsewhere.
    const lines = findings.map((line) => JSON.stringify(line, Object.keys(line as object).sort()));
    found[`reconcile ${stage}`] =
      stage === "persons" ? lines.filter((line) => line.includes("subjectHash")).sort() : lines.sort();
  }
  for (const id of world.memories) found[`lineage ${id}`] = await store.lineage(tenantKey, "memory", id);
  for (const id of world.derived) found[`lineage ${id}`] = await store.lineage(tenantKey, "derived", id);
  for (const id of world.tombstones) {
    if ((await store.receipt(tenantKey, id)) === null) continue;
    found[`outstanding ${id}`] = await store.placements.outstanding(tenantKey, id, null);
  }
  found["exported"] = await store.upkeep.exportTombstones(tenantKey, { limit: 1000, after: null });
  return found;
}

/** Without what may differ: times, tokens, what a store cannot reach, and the ids that a store makes by itself. */
function comparable(world: World, answer: unknown): unknown {
  const known = new Set([...world.memories, ...world.derived, ...world.placements, ...world.tombstones]);
  const made: string[] = [];
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") {
      if (/^\d{4}-\d\d-\d\dT/u.test(value)) return value.startsWith("200") ? value : "<time>";
      if (!/^[0-9a-f]{8}-[0-9a-f]{4}-/u.test(value) || known.has(value)) return value;
      if (!made.includes(value)) made.push(value);
      return `<made ${String(made.indexOf(value))}>`;
    }
    if (Array.isArray(value)) return value.map(walk);
    if (value instanceof MemoryError) return walk(errorAsValue(value));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).filter(
      ([key, inner]) => inner !== undefined && !["token", "notCovered", "nextCursor", "rebuildable"].includes(key),
    );
    return Object.fromEntries(
      entries.map(([key, inner]) => [key, walk(inner)]).sort(([x], [y]) => (String(x) < String(y) ? -1 : 1)),
    );
  };
  return walk(answer);
}

test.runIf(requestedLegs().includes("pglite"))(
  "the store in memory answers every call as the one in Postgres does",
  { timeout: 600_000 },
  async () => {
    const leg = await openPglite();
    const step = fc.record({
      verb: fc.nat({ max: VERBS.length - 1 }),
      a: fc.nat({ max: 4095 }),
      b: fc.nat({ max: 4095 }),
      c: fc.nat({ max: 4095 }),
    });
    // Half of all steps make something that the others can work on.
    const making = fc.record({
      verb: fc.constantFrom(0, 0, 1, 2, 6),
      a: fc.nat({ max: 4095 }),
      b: fc.nat({ max: 4095 }),
      c: fc.nat({ max: 4095 }),
    });
    let tenant = 0;
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.oneof(step, making), { minLength: 5, maxLength: 40 }), async (steps) => {
          let last = 0;
          const clock = { now: () => new Date((last = Math.max(Date.now(), last + 1))) };
          const world = new World(`tenant-${String(tenant++)}`, [new InMemoryStore({ clock }), leg.newStore()]);
          for (const [index, current] of steps.entries()) {
            const verb = VERBS[current.verb];
            const [inMemory, inPostgres] = (await verb?.(world, current)) ?? [];
            expect({ index, verb: verb?.name, answer: comparable(world, inMemory) }).toEqual({
              index,
              verb: verb?.name,
              answer: comparable(world, inPostgres),
            });
          }
          const [inMemory, inPostgres] = await world.each((store) => everything(world, store));
          expect(comparable(world, inMemory)).toEqual(comparable(world, inPostgres));
        }),
        {
          numRuns: Number(process.env["AGREE_RUNS"] ?? 20),
          endOnFailure: process.env["AGREE_SHRINK"] === undefined,
          ...(process.env["AGREE_SEED"] ? { seed: Number(process.env["AGREE_SEED"]) } : {}),
        },
      );
    } finally {
      await leg.close();
    }
  },
);

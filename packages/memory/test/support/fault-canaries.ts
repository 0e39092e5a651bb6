import type { Memory } from "../../src/index.js";
import { aMemory, aSummaryOf, sourceOf } from "./builders.js";
import { aCanary } from "./canary.js";
import { aCopyOf, collect } from "./copies.js";

const SUBJECT = `customer:${aCanary()}`;

/** Reads in every way, and writes by every input a person's data can come in by, with a canary in each. */
export async function useEverything(memory: Memory, tenantKey: string): Promise<void> {
  const person = {
    tenantKey,
    subjectKey: SUBJECT,
    alsoAbout: [`customer:${aCanary()}`],
    text: aCanary(),
    metadata: { note: aCanary(), [aCanary()]: { deep: [aCanary()] } },
    idempotencyKey: aCanary(),
    embedding: [1, 0],
  };
  const said = await memory.remember(person);
  await memory.remember(person);
  await memory.rememberMany([
    aMemory({ ...person, idempotencyKey: aCanary() }),
    aMemory({ tenantKey, text: aCanary() }),
  ]);
  const metadata = { note: aCanary() };
  const summary = await memory.derive({ ...aSummaryOf(said), text: aCanary(), metadata });
  await memory.deriveMany([{ ...aSummaryOf(said, summary), text: aCanary(), metadata }]);
  const copy = await memory.recordPlacement({ ...aCopyOf(summary), ref: aCanary(), writeWithin: 3600 });
  const { placementId } = copy.placement;
  await memory.placements.written({ tenantKey, placementId, ref: aCanary() });

  for (const query of [{ text: `${aCanary()} ${person.text}` }, { embedding: [1, 0] }] as const) {
    await memory.recall({ tenantKey, ...query, subjectKey: SUBJECT, metadata });
  }
  await memory.listMemories({ tenantKey, subjectKey: SUBJECT });
  await memory.getMemory(tenantKey, said.memory.memoryId);
  await memory.lineage({ tenantKey, kind: "memory", id: said.memory.memoryId });
  await collect(memory.exportSubject({ tenantKey, subjectKey: SUBJECT, includeShared: true }));
  await memory.isForgotten({ tenantKey, contents: [{ subjectKey: SUBJECT, text: aCanary() }] });
  await memory.previewForget({ tenantKey, subjectKey: SUBJECT });
  await memory.setEmbeddings({ tenantKey, items: [{ kind: "memory", id: said.memory.memoryId, embedding: [0, 1] }] });
  await memory.reindexTerms({ tenantKey });
  const hold = await memory.holds.place({ tenantKey, subjectKey: SUBJECT, code: "litigation" });
  const request = { requestId: aCanary(), requestedBy: { role: "operator", id: aCanary() } } as const;
  await refused(memory.forget({ tenantKey, subjectKey: SUBJECT, ...request }));
  await memory.holds.release({ tenantKey, ...hold });
  const restriction = await memory.restrictions.restrict({ tenantKey, subjectKey: SUBJECT, basis: "gdpr_18_1_a" });
  await refused(memory.derive({ ...aSummaryOf(said), text: aCanary() }));
  await memory.restrictions.lift({ tenantKey, ...restriction });
  await memory.correct({ tenantKey, memoryId: said.memory.memoryId, text: aCanary() });
  await refused(memory.forget({ tenantKey, subjectKey: SUBJECT, ...request }));
  await refused(memory.forget({ tenantKey, subjectKey: SUBJECT, previewToken: aCanary() }));
  await refused(memory.remember({ ...person, capturedAt: "2001-01-01T00:00:00Z", idempotencyKey: aCanary() }));
  await refused(memory.derive({ ...aSummaryOf(said), text: aCanary(), metadata }));
  await refused(memory.recordPlacement({ ...aCopyOf(said), ref: aCanary(), sources: [sourceOf(summary)] }));
  await memory.erasureHistory(tenantKey, { subjectKey: SUBJECT });
  await memory.erasures.reconcile({
    tenantKey,
    against: await collect(memory.erasures.exportTombstones({ tenantKey })),
  });
}

async function refused(call: Promise<unknown>): Promise<void> {
  const outcome: unknown = await call.catch((error: unknown) => error);
  if (!(outcome instanceof Error)) throw new Error("this was expected to be refused");
}

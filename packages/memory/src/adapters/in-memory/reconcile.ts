import type { Finding, FindingCode } from "../../domain/reconciliation.js";
import type { ReconcilePage, ReconcileResult } from "../../ports/upkeep-store.js";
import { type Erasure, eventsOf, hasEvent } from "./erasure.js";
import { firstById } from "./id-page.js";
import { stateOf } from "./receipt-view.js";
import type { StoredPlacement } from "./stored-placement.js";
import type { StoredMemory, StoredRow } from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

const RECOGNISABLE_LENGTH = 40;
const OVERDUE_AFTER_MS = 24 * 60 * 60 * 1000;

/** One bounded page of one stage of the sweep: the log compared with what lives. Findings are codes and ids. */
export function reconcilePage(state: TenantState, page: ReconcilePage, now: string): ReconcileResult {
  switch (page.stage) {
    case "rules":
      // The rules of this store are its code; there is nothing that could be switched off.
      return resultOf([], null, []);
    case "tombstones": {
      const erasures = pageOf(state.log.all(), page, ({ tombstone }) => tombstone.tombstoneId);
      return resultOf(
        erasures.items,
        erasures.next,
        erasures.items.flatMap((erasure) => judgeErasure(erasure, now)),
      );
    }
    case "memories":
      return reconcileRows(
        state,
        pageOf(state.memories.all(), page, ({ id }) => id),
      );
    case "derived":
      return reconcileRows(
        state,
        pageOf(state.derived.all(), page, ({ id }) => id),
      );
    case "placements": {
      const copies = pageOf(state.placements.all(), page, ({ placementId }) => placementId);
      return resultOf(
        copies.items,
        copies.next,
        copies.items.flatMap((copy) => judgePlacement(state, copy)),
      );
    }
    case "persons":
      return personsToCheck(state, page);
  }
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** In the order of their ids; a full page names the last one, though it may be the very last. */
function pageOf<Item>(all: Iterable<Item>, page: ReconcilePage, idOf: (item: Item) => string): Page<Item> {
  const items = firstById(all, page, idOf);
  const last = items.at(-1);
  return { items, next: items.length === page.limit && last !== undefined ? idOf(last) : null };
}

function resultOf(looked: readonly unknown[], next: string | null, findings: readonly Finding[], untagged = 0) {
  return { findings, persons: [], looked: looked.length, untagged, next };
}

function judgeErasure(erasure: Erasure, now: string): Finding[] {
  const { tombstoneId, openedAt } = erasure.tombstone;
  const finding = (code: FindingCode): Finding => ({ code, kind: "tombstone", id: tombstoneId, tombstoneId });
  const found: Finding[] = [];
  if (stateOf(erasure) !== "complete" && Date.parse(now) - Date.parse(openedAt) > OVERDUE_AFTER_MS) {
    found.push(finding("erasure_overdue"));
  }
  const [destroyed] = eventsOf(erasure, "destroyed");
  if (destroyed && destroyed.counts.memories + destroyed.counts.derived > erasure.items.length) {
    found.push(finding("count_mismatch"));
  }
  return found;
}

function reconcileRows(state: TenantState, { items, next }: Page<StoredRow>): ReconcileResult {
  const untagged = items.filter(lacksTags).length;
  return resultOf(
    items,
    next,
    items.flatMap((row) => judgeRow(state, row)),
    untagged,
  );
}

/** A short derived row never has tags: they are made of a person, or of a text long enough to be recognised. */
function lacksTags({ rowKind, text, contentTags }: StoredRow): boolean {
  return contentTags.length === 0 && (rowKind === "memory" || text.length >= RECOGNISABLE_LENGTH);
}

function judgeRow(state: TenantState, row: StoredRow): Finding[] {
  const { rowKind, id, contentTags } = row;
  const found: Finding[] = [];
  const report = (code: FindingCode, tombstoneId?: string) => {
    found.push({ code, kind: rowKind, id, ...(tombstoneId !== undefined && { tombstoneId }) });
  };
  const isOpen = state.log.isOpenItem(rowKind, id);
  if (!isOpen) {
    const destroyed = firstOf(state.log.covering(rowKind, id).filter((erasure) => hasEvent(erasure, "destroyed")));
    if (destroyed !== undefined) report("forgotten_but_live", destroyed);
    const erased = state.log.firstWithContent(contentTags, id);
    if (erased !== null) report("content_reappeared", erased);
  }
  if (row.rowKind === "memory") {
    if (!row.provenanceKnown) report("provenance_unknown");
    return found;
  }
  if (!isOpen && row.sources.some((ref) => state.find(ref) === undefined)) report("source_missing");
  const forgotten = row.sources.flatMap((ref) => state.log.covering(ref.sourceKind, ref.sourceId));
  const under = firstOf(forgotten);
  if (under !== undefined && !state.log.covers(rowKind, id)) report("source_forgotten", under);
  return found;
}

function judgePlacement(state: TenantState, { placementId, goneAt, sources }: StoredPlacement): Finding[] {
  if (goneAt !== null || state.log.covers("placement", placementId)) return [];
  if (sources.every((ref) => state.find(ref) !== undefined)) return [];
  return [{ code: "placement_source_missing", kind: "placement", id: placementId }];
}

/** The first by id. */
function firstOf(erasures: readonly Erasure[]): string | undefined {
  return erasures.map(({ tombstone }) => tombstone.tombstoneId).sort()[0];
}

/** Whether key and hash of a row agree, only a holder of the pepper can tell: one example of each pair. */
function personsToCheck(state: TenantState, page: ReconcilePage): ReconcileResult {
  const { items: hashes, next } = pageOf(state.persons.hashes(), page, (hash) => hash);
  const persons = hashes.flatMap((hash) => examplesOf(state, hash));
  return { findings: [], persons, looked: 0, untagged: 0, next };
}

function examplesOf(state: TenantState, hash: string): ReconcileResult["persons"] {
  const examples = new Map<string, ReconcileResult["persons"][number]>();
  for (const { id, filing } of memoriesFiledUnder(state, hash)) {
    if (filing.subjectKey === null) continue;
    const pair = JSON.stringify([filing.keyId, filing.subjectKey]);
    const known = examples.get(pair);
    if (known !== undefined && known.id < id) continue;
    examples.set(pair, { subjectKey: filing.subjectKey, subjectHash: hash, keyId: filing.keyId, id });
  }
  return [...examples.values()];
}

function memoriesFiledUnder(state: TenantState, hash: string) {
  const rows = [...state.persons.find([hash])].flatMap((person) => [...person.rows]);
  return rows
    .filter((row): row is StoredMemory => row.rowKind === "memory")
    .flatMap(({ id, filedUnder: [filing] }) => (filing?.hash === hash ? [{ id, filing }] : []));
}

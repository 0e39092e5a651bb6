import { type ErasureOrigin, LEGAL_BASES, type LegalBasis } from "../../domain/codes.js";
import { InvalidInputError, LegalHoldError, StalePreviewError } from "../../errors.js";
import type { OpenErasure, StoreScope, StoreSubject } from "../../ports/memory-store.js";
import {
  byPlacementId,
  type Closure,
  closureOf,
  countOtherPersons,
  orderOfDestruction,
  placementsOf,
  rebuildableAfter,
} from "./closure.js";
import { compareErasures, type Erasure, type ErasureTarget } from "./erasure.js";
import type { Person } from "./persons.js";
import { reachOf } from "./preview-erasure.js";
import { previewToken } from "./preview-token.js";
import { stateOf } from "./receipt-view.js";
import { type Selection, select } from "./selection.js";
import type { StoredPlacement } from "./stored-placement.js";
import { rowKey } from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

/**
 * Writes the tombstone and its items; from here on nothing in the closure can be read. A request that was answered
 * before gets the same erasure again, and one for a person whose erasure is open joins it.
 */
export function openErasure(state: TenantState, request: OpenErasure, now: string): Erasure {
  const scope = request.target;
  const subject = scope.scope === "derived" ? null : scope.subject;
  if (subject !== null) state.keys.refuseUnlessNamed(subject);
  refuseUnknownBasis(request.legalBasis);
  const target = targetOf(scope);
  const earlier = state.log.answerTo(request, target);
  if (earlier) return earlier;

  // Nobody names a person where the library erases by itself: what has expired has, whoever else it is about.
  const selection = select(state, scope, { filedFirst: request.origin === "expiry" });
  if (subject !== null) enrolNamed(state, subject);
  const joined = scope.scope === "subject" ? openErasureOf(selection) : undefined;
  if (joined) return state.log.join(request, target, joined);

  refuseHeld(state, selection.persons, now);
  refuseStalePreview(state, selection, request);
  return writeTombstone(state, { ...request, target, replays: null }, selection, now);
}

/** Evidence will name the person: from now on whoever lacks the key of that hash must be told so. */
export function enrolNamed({ persons, keys }: TenantState, subject: StoreSubject): Person {
  keys.note(subject.written.keyId, subject.written.check);
  return persons.enrol(subject);
}

/** What a tombstone is written from: a request, or an exported tombstone to be carried out again. */
export interface Opening extends Omit<OpenErasure, "target" | "tenantKey" | "previewToken"> {
  readonly target: ErasureTarget;
  readonly replays: Erasure["replays"];
}

/** Records the refusal with each hold, and tells the caller; nothing is opened. */
export function refuseHeld(state: TenantState, persons: ReadonlySet<Person>, now: string): void {
  const holds = state.holds.active(now).filter(({ subjectHash }) => {
    return [...persons].some(({ hashes }) => hashes.has(subjectHash));
  });
  if (holds.length === 0) return;
  for (const { holdId } of holds) state.holds.recordRefusal(holdId, now);
  throw new LegalHoldError();
}

export function writeTombstone(state: TenantState, opening: Opening, selection: Selection, now: string): Erasure {
  const erasure = newErasure(state, opening, selection, now);
  state.log.open(erasure, opening.requestHash);
  if (opening.target.scope === "subject" && selection.filing !== null) {
    const person = state.persons.enrolHashes([selection.filing]);
    person.erasures.push(erasure);
    if (CLOSES_THE_GATE.includes(opening.origin)) person.markForgotten(opening.replays?.openedAt ?? now);
  }
  return erasure;
}

/** An erasure of what was asked for closes the door behind the person; one that the library opened by itself does not. */
const CLOSES_THE_GATE: readonly ErasureOrigin[] = ["forget", "replay"];

function newErasure(state: TenantState, opening: Opening, selection: Selection, now: string): Erasure {
  const { tombstoneId, reason, legalBasis, origin, requestedBy, target, replays } = opening;
  const { persons, filing, unknownIds } = selection;
  const closure = closureOf(state, selection);
  const placements = allPlacements(state, opening, selection, closure);
  return {
    tombstone: Object.freeze({
      tombstoneId,
      tenantKey: state.tenantKey,
      scope: target.scope,
      subjectHash: filing?.hash ?? null,
      subjectHashKeyed: filing !== null && filing.keyId !== null,
      reason,
      legalBasis,
      origin,
      requestedBy: Object.freeze({ role: requestedBy.role, idHash: requestedBy.idHash }),
      openedAt: now,
      planned: Object.freeze({
        memories: closure.memories.length,
        derived: closure.derived.length,
        provenanceEdges: closure.provenanceEdges,
      }),
      cascadeDepth: closure.depth,
      matched: closure.memories.length + closure.derived.length + placements.length > 0,
      unknownIds: Object.freeze(unknownIds),
      otherSubjects: countOtherPersons(closure, persons),
    }),
    subjectKeyId: filing?.keyId ?? null,
    target,
    replays,
    sequence: state.nextSequence(),
    rebuildable: rebuildableAfter(state, closure),
    closureKnown: closure.memories.every(({ provenanceKnown }) => provenanceKnown),
    items: Object.freeze(
      orderOfDestruction(closure).map(({ rowKind, id, contentTags }) => Object.freeze({ rowKind, id, contentTags })),
    ),
    placementIds: Object.freeze(placements.map(({ placementId }) => placementId)),
    events: [],
    progress: { next: 0, memories: 0, derived: 0, provenanceEdges: 0 },
  };
}

/** Those of the closure and those named. A replay takes what its record names, whoever else's copies there are. */
function allPlacements(
  state: TenantState,
  { target, replays }: Opening,
  selection: Selection,
  closure: Closure,
): readonly StoredPlacement[] {
  const wholePerson = target.scope === "subject" && replays === null;
  const reached = placementsOf(state, closure, wholePerson ? selection.persons : null);
  const named = selection.placements.filter(({ goneAt }) => goneAt === null);
  return [...new Set([...reached, ...named])].sort(byPlacementId);
}

/** The newest erasure of the person that is still open and covers every memory of theirs that is still there. */
function openErasureOf({ persons, memories }: Selection): Erasure | undefined {
  const erasures = [...persons].flatMap((person) => person.erasures).sort((a, b) => compareErasures(b, a));
  return erasures.find((erasure) => {
    if (stateOf(erasure) === "complete") return false;
    const covered = new Set(erasure.items.map(({ rowKind, id }) => rowKey(rowKind, id)));
    return memories.every(({ rowKind, id }) => covered.has(rowKey(rowKind, id)));
  });
}

/** The codes are a table in Postgres, which its owner may extend; here they are the ones this package names. */
export function refuseUnknownBasis(legalBasis: LegalBasis): void {
  if (LEGAL_BASES.some((known) => known === legalBasis)) return;
  throw new InvalidInputError("legalBasis", "is not a known code", `Use one of ${LEGAL_BASES.join(", ")}.`);
}

function refuseStalePreview(
  state: TenantState,
  selection: Selection,
  { previewToken: token, target }: OpenErasure,
): void {
  if (token === null) return;
  const { closure, placements } = reachOf(state, selection, target.scope === "subject");
  if (token !== previewToken(closure, placements)) throw new StalePreviewError();
}

function targetOf(scope: StoreScope): ErasureTarget {
  if (scope.scope === "derived") {
    return Object.freeze({ scope: "derived", hashes: [], ids: sorted([...scope.derivedIds, ...scope.placementIds]) });
  }
  const hashes = scope.subject ? [scope.subject.written, ...scope.subject.known].map(({ hash }) => hash) : [];
  return Object.freeze({
    scope: scope.scope,
    hashes: Object.freeze(hashes),
    ids: sorted(scope.scope === "memories" ? scope.memoryIds : []),
  });
}

function sorted(ids: readonly string[]): readonly string[] {
  return Object.freeze([...new Set(ids)].sort());
}

import { type ErasureOrigin, LEGAL_BASES, type LegalBasis } from "../../domain/codes.js";
import type { ErasurePreview } from "../../domain/receipt.js";
import { InvalidInputError, StalePreviewError } from "../../errors.js";
import type { OpenErasure, StoreScope } from "../../ports/memory-store.js";
import {
  type Closure,
  closureOf,
  countOtherPersons,
  orderOfDestruction,
  rebuildableAfter,
  uncoveredClosureOf,
} from "./closure.js";
import { compareErasures, type Erasure, type ErasureTarget } from "./erasure-log.js";
import { previewToken } from "./preview-token.js";
import { stateOf } from "./receipt-view.js";
import { type Selection, select } from "./selection.js";
import { rowKey, type StoredRow } from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

/** The same closure that an erasure would open now. */
export function previewErasure(state: TenantState, scope: StoreScope): ErasurePreview {
  const { persons, memories } = select(state, scope);
  const closure = uncoveredClosureOf(state, memories);
  const ids = (rows: readonly StoredRow[]) => Object.freeze(rows.map(({ id }) => id).sort());
  return Object.freeze({
    ids: Object.freeze({
      memories: ids(closure.memories),
      derived: ids(closure.derived),
      placements: Object.freeze([]),
    }),
    counts: Object.freeze({ ...countsOf(closure), placements: 0 }),
    cascadeDepth: closure.depth,
    otherSubjects: countOtherPersons(closure, persons),
    sinks: Object.freeze([]),
    rebuildable: rebuildableAfter(state, closure),
    token: previewToken(closure),
  });
}

/**
 * Writes the tombstone and its items; from here on nothing in the closure can be read. A request that was answered
 * before gets the same erasure again, and one for a person whose erasure is open joins it.
 */
export function openErasure(state: TenantState, request: OpenErasure, now: string): Erasure {
  refuseUnknownBasis(request.legalBasis);
  const target = targetOf(request.target);
  const earlier = state.log.answerTo(request, target);
  if (earlier) return earlier;

  const selection = select(state, request.target);
  const joined = request.target.scope === "subject" ? openErasureOf(selection) : undefined;
  if (joined) return state.log.join(request, target, joined);

  refuseStalePreview(state, selection, request.previewToken);
  const erasure = newErasure(state, request, target, selection, now);
  state.log.open(request, erasure);
  if (request.target.scope === "subject") {
    const person = state.persons.enrol(request.target.subject);
    person.erasures.push(erasure);
    if (CLOSES_THE_GATE.includes(request.origin)) person.markForgotten(now);
  }
  return erasure;
}

/** An erasure of what was asked for closes the door behind the person; one that the library opened by itself does not. */
const CLOSES_THE_GATE: readonly ErasureOrigin[] = ["forget", "replay"];

function newErasure(
  state: TenantState,
  request: OpenErasure,
  target: ErasureTarget,
  selection: Selection,
  now: string,
): Erasure {
  const { tombstoneId, reason, legalBasis, origin, requestedBy } = request;
  const { persons, memories, filing, unknownIds } = selection;
  const closure = closureOf(state, memories);
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
      planned: Object.freeze(countsOf(closure)),
      cascadeDepth: closure.depth,
      matched: closure.memories.length > 0,
      unknownIds: Object.freeze(unknownIds),
      otherSubjects: countOtherPersons(closure, persons),
    }),
    target,
    rebuildable: rebuildableAfter(state, closure),
    closureKnown: memories.every(({ provenanceKnown }) => provenanceKnown),
    items: Object.freeze(
      orderOfDestruction(closure).map(({ rowKind, id, contentTags }) => Object.freeze({ rowKind, id, contentTags })),
    ),
    events: [],
    progress: { next: 0, memories: 0, derived: 0, provenanceEdges: 0 },
  };
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
function refuseUnknownBasis(legalBasis: LegalBasis): void {
  if (LEGAL_BASES.some((known) => known === legalBasis)) return;
  throw new InvalidInputError("legalBasis", "is not a known code", `Use one of ${LEGAL_BASES.join(", ")}.`);
}

function refuseStalePreview(state: TenantState, { memories }: Selection, token: string | null): void {
  if (token !== null && token !== previewToken(uncoveredClosureOf(state, memories))) throw new StalePreviewError();
}

function targetOf(scope: StoreScope): ErasureTarget {
  if (scope.scope === "derived") throw new InvalidInputError("scope", "cannot be opened here");
  const hashes = scope.subject ? [scope.subject.written, ...scope.subject.known].map(({ hash }) => hash) : [];
  const memoryIds = scope.scope === "memories" ? [...new Set(scope.memoryIds)].sort() : [];
  return Object.freeze({ scope: scope.scope, hashes: Object.freeze(hashes), memoryIds: Object.freeze(memoryIds) });
}

function countsOf({ memories, derived, provenanceEdges }: Closure) {
  return { memories: memories.length, derived: derived.length, provenanceEdges };
}

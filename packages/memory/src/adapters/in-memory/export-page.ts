import type { ExportedRow, WithheldRow } from "../../domain/access.js";
import type { StoreScope } from "../../ports/memory-store.js";
import { closureOf, placementsOf } from "./closure.js";
import { countOthers, type Person } from "./persons.js";
import { select } from "./selection.js";
import { placementView, type StoredPlacement } from "./stored-placement.js";
import { derivedView, memoryView, type StoredRow } from "./stored-row.js";
import { hasExpired, type TenantState } from "./tenant-state.js";

export interface ExportQuery {
  readonly includeShared: boolean;
  readonly limit: number;
  readonly after: string | null;
}

/** Where a line stands in the export, and how it is shown. */
interface Line {
  readonly at: string;
  readonly show: () => ExportedRow;
}

/**
 * One page of everything the erasure of this scope would take, memories first. Rows that also concern others are
 * withheld unless the host asks for them.
 */
export function exportPage(state: TenantState, scope: StoreScope, query: ExportQuery, now: string) {
  const selection = select(state, scope);
  const closure = closureOf(state, selection);
  const placements = placementsOf(state, closure, scope.scope === "subject" ? selection.persons : null);
  const view: View = { state, persons: selection.persons, includeShared: query.includeShared, now };
  const rows = [...closure.memories, ...closure.derived].filter(({ rowKind, id }) => !state.log.covers(rowKind, id));
  const lines: Line[] = [
    ...rows.map((row) => ({ at: `${row.rowKind === "memory" ? 1 : 2}${row.id}`, show: () => exportRow(view, row) })),
    ...placements.map((copy) => ({ at: `3${copy.placementId}`, show: () => exportPlacement(view, copy) })),
  ];
  const following = lines.filter(({ at }) => query.after === null || at > query.after).sort(byPlace);
  const shown = following.slice(0, query.limit);
  return {
    rows: shown.map(({ show }) => show()),
    next: following.length > shown.length ? (shown.at(-1)?.at ?? null) : null,
  };
}

interface View {
  readonly state: TenantState;
  readonly persons: ReadonlySet<Person>;
  readonly includeShared: boolean;
  readonly now: string;
}

function exportRow({ state, persons, includeShared, now }: View, row: StoredRow): ExportedRow {
  const others = countOthers(row.persons, persons);
  if (others > 0 && !includeShared) {
    const { id, kind } = row;
    const withheld: WithheldRow = Object.freeze({ id, kind, otherSubjects: others, text: null, withheld: "others" });
    return { kind: row.rowKind, row: withheld };
  }
  const marks = {
    ...(hasExpired(row, now) && { expired: true as const }),
    ...(state.isRestricted(row) && { restricted: true as const }),
  };
  if (row.rowKind === "derived") return { kind: "derived", row: { ...derivedView(state.tenantKey, row), ...marks } };
  // Other people's keys are never shown, and which of them is whose cannot be told apart.
  const keys = others > 0 ? { subjectKey: null, alsoAbout: [] } : {};
  return { kind: "memory", row: { ...memoryView(state.tenantKey, row), ...keys, ...marks } };
}

function exportPlacement({ state, persons, includeShared }: View, placement: StoredPlacement): ExportedRow {
  const shown = placementView(state.tenantKey, placement);
  const isWithheld = !includeShared && countOthers(placement.persons, persons) > 0;
  return { kind: "placement", row: isWithheld ? { ...shown, ref: null } : shown };
}

function byPlace(a: Line, b: Line): number {
  return a.at < b.at ? -1 : 1;
}

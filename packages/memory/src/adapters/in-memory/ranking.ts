import type {
  Coverage,
  LexicalQuery,
  RankedRow,
  RankedRows,
  RecallFilter,
  VectorQuery,
} from "../../ports/memory-store.js";
import { cosine, vectorLength } from "../../recall/cosine.js";
import { rarityWeights } from "../../recall/rarity.js";
import { compareRanked, type Ranked } from "../../recall/ranking-order.js";
import { rowsOfPersons } from "./listing.js";
import { anyOf } from "./persons.js";
import { matcherOf } from "./row-filter.js";
import { comparePositions, type RowTable } from "./row-table.js";
import { derivedView, memoryView, type StoredRow } from "./stored-row.js";
import type { TenantState } from "./tenant-state.js";

interface Scored extends Ranked {
  readonly row: StoredRow;
}

/** Ranks by the share of the query's terms that a row holds. Every row is eligible; the index finds those with any. */
export function recallLexical(state: TenantState, query: LexicalQuery, now: string): RankedRows {
  const best = new BestRows(query);
  const passes = filterOf(state, query, now);
  let considered = 0;
  for (const [row, matched] of state.terms.countMatches(query.terms)) {
    if (!passes(row)) continue;
    considered += 1;
    best.offer(row, matched / query.terms.length);
  }
  const nothing = { skippedNoVector: 0, skippedDimension: 0, skippedNoTerms: 0, truncated: false };
  return ranked(state, best, { considered, ...nothing });
}

/** As `recallLexical`, with each term weighted by how few of the rows that pass the filters hold it. */
export function recallBm25(state: TenantState, query: LexicalQuery, now: string): RankedRows {
  const passes = filterOf(state, query, now);
  const matched = [...state.terms.matches(query.terms)].filter(([row]) => passes(row));
  const holding = query.terms.map((_, place) => matched.filter(([, places]) => places.includes(place)).length);
  const weights = rarityWeights(matched.length, holding);
  const all = weights.reduce((sum, weight) => sum + weight, 0);

  const best = new BestRows(query);
  for (const [row, places] of matched) {
    best.offer(row, places.reduce((sum, place) => sum + (weights[place] ?? 0), 0) / all);
  }
  const nothing = { skippedNoVector: 0, skippedDimension: 0, skippedNoTerms: 0, truncated: false };
  return ranked(state, best, { considered: matched.length, ...nothing });
}

/**
 * Ranks by cosine, exactly, over the newest `candidatePool` rows that pass the filters and have a vector of the
 * query's length. Without an index the pool is a window, not a search: an older match outside it is missed, and
 * `truncated` says so. What is older than the pool is not counted either, so that the cost is the pool's.
 */
export function recallVector(state: TenantState, query: VectorQuery, now: string): RankedRows {
  const best = new BestRows(query);
  const passes = filterOf(state, query, now);
  const queryLength = vectorLength(query.embedding);
  let [considered, skippedNoVector, skippedDimension, truncated] = [0, 0, 0, false];
  for (const row of newestFirst(state, query)) {
    if (!passes(row)) continue;
    if (row.embedding === null) skippedNoVector += 1;
    else if (row.embedding.length !== query.embedding.length) skippedDimension += 1;
    else if (considered < query.candidatePool) {
      considered += 1;
      best.offer(row, cosine(query.embedding, row.embedding, queryLength));
    } else {
      truncated = true;
      break;
    }
  }
  const eligible = considered + skippedNoVector + skippedDimension;
  return ranked(state, best, {
    considered,
    skippedNoVector,
    skippedDimension,
    skippedNoTerms: 0,
    truncated,
    ...(truncated ? { partial: true } : { eligible }),
  });
}

/** Keeps the best `limit` rows of any number, without sorting the rest. */
class BestRows {
  private kept: Scored[] = [];

  constructor(private readonly query: RecallFilter) {}

  offer(row: StoredRow, score: number): void {
    if (!(score > 0) || score < this.query.minScore) return;
    this.kept.push({ row, score, createdAt: row.createdAt, id: row.id });
    if (this.kept.length >= 4 * this.query.limit + 64) this.kept = this.bestFirst();
  }

  bestFirst(): Scored[] {
    return this.kept.sort(compareRanked).slice(0, this.query.limit);
  }
}

function ranked(state: TenantState, best: BestRows, coverage: Coverage): RankedRows {
  return { hits: best.bestFirst().map((scored) => hit(state, scored)), coverage, ranking: "in-process" };
}

function hit({ tenantKey }: TenantState, { row, score }: Scored): RankedRow {
  return row.rowKind === "memory"
    ? { kind: "memory", row: memoryView(tenantKey, row), score }
    : { kind: "derived", row: derivedView(tenantKey, row), score };
}

function filterOf(state: TenantState, filter: RecallFilter, now: string): (row: StoredRow) => boolean {
  const { include, subject } = filter;
  const matches = matcherOf(filter);
  if (subject !== null) state.keys.refuseUnlessAllIn(subject);
  const persons = subject === null ? null : state.persons.find(subject.map(({ hash }) => hash));
  return (row) =>
    (include === "both" || (include === "memories") === (row.rowKind === "memory")) &&
    (persons === null || anyOf(row.persons, persons)) &&
    state.isVisible(row, now) &&
    matches(row);
}

/** Memories and derived rows in one walk, newest first. */
function* newestFirst(state: TenantState, { subject, include }: RecallFilter): Generator<StoredRow> {
  const hashes = subject === null ? null : subject.map(({ hash }) => hash);
  const walk = <Row extends StoredRow>(table: RowTable<Row>): Iterator<StoredRow> =>
    hashes === null ? table.newestFirst(null) : rowsOfPersons(state, table, hashes)[Symbol.iterator]();
  const walks = [
    ...(include === "derived" ? [] : [walk(state.memories)]),
    ...(include === "memories" ? [] : [walk(state.derived)]),
  ];
  const heads = walks.map((rows) => rows.next());
  for (;;) {
    let newest = -1;
    heads.forEach((head, index) => {
      const best = heads[newest];
      if (head.done !== true && (!best || best.done === true || comparePositions(head.value, best.value) > 0))
        newest = index;
    });
    const head = heads[newest];
    if (head === undefined || head.done === true) return;
    yield head.value;
    heads[newest] = (walks[newest] as Iterator<StoredRow>).next();
  }
}

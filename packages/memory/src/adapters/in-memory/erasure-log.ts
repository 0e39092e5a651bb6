import type { RowKind } from "../../domain/codes.js";
import { InvalidInputError } from "../../errors.js";
import type { OpenErasure } from "../../ports/memory-store.js";
import { compareErasures, type Erasure, type ErasureTarget, hasEvent } from "./erasure.js";

/** An item of a tombstone whose text had a tag. */
interface TaggedItem {
  readonly id: string;
  readonly tombstoneId: string;
}

type ItemKind = RowKind | "placement";

/** The append-only record of one tenant's erasures. */
export class ErasureLog {
  private readonly erasures = new Map<string, Erasure>();
  /** A tombstone id that was asked for, but joined another erasure: the same call again gets that one. */
  private readonly joined = new Map<string, string>();
  private readonly requests = new Map<string, { readonly target: ErasureTarget; readonly tombstoneId: string }>();
  /** The tombstones of other stores that were carried out again here → the newest erasure that did. */
  private readonly replayed = new Map<string, Erasure>();
  /** Covered row or copy → the erasures with an item for it, oldest first. */
  private readonly items: Readonly<Record<ItemKind, Map<string, Erasure[]>>> = {
    memory: new Map(),
    derived: new Map(),
    placement: new Map(),
  };
  /** Keyed content tag → the items that had it. */
  private readonly tagged = new Map<string, TaggedItem[]>();

  get(tombstoneId: string): Erasure | undefined {
    return this.erasures.get(tombstoneId);
  }

  /** The erasure that has this very tombstone, or carried it out again after a restore. */
  original(tombstoneId: string): Erasure | undefined {
    return this.erasures.get(tombstoneId) ?? this.replayed.get(tombstoneId);
  }

  /** Newest first. */
  newestFirst(): Erasure[] {
    return [...this.erasures.values()].sort((a, b) => -compareErasures(a, b));
  }

  all(): Iterable<Erasure> {
    return this.erasures.values();
  }

  /** Whether an erasure was opened for the row or copy; it may be there still, or gone for good. */
  covers(kind: ItemKind, id: string): boolean {
    return this.items[kind].has(id);
  }

  /** Whether any row or copy with this id is covered. */
  coversAny(id: string): boolean {
    return this.covers("memory", id) || this.covers("derived", id) || this.covers("placement", id);
  }

  /** Every erasure with an item for the row or copy, oldest first. */
  covering(kind: ItemKind, id: string): readonly Erasure[] {
    return this.items[kind].get(id) ?? [];
  }

  /** The newest tombstone with an item for the row. */
  newestCovering(kind: RowKind, id: string): string | null {
    return this.covering(kind, id).at(-1)?.tombstone.tombstoneId ?? null;
  }

  /** Whether the row is in an erasure that has yet to destroy it. */
  isOpenItem(kind: RowKind, id: string): boolean {
    return this.covering(kind, id).some((erasure) => !hasEvent(erasure, "destroyed"));
  }

  /** Whether a text with any of these tags was erased. */
  hasErased(tags: readonly string[]): boolean {
    return tags.some((tag) => this.tagged.has(tag));
  }

  /** The first tombstone, by id, under which a text with one of these tags was erased as another row than this. */
  firstWithContent(tags: readonly string[], exceptId: string): string | null {
    const others = tags.flatMap((tag) => this.tagged.get(tag) ?? []).filter(({ id }) => id !== exceptId);
    return others.map(({ tombstoneId }) => tombstoneId).sort()[0] ?? null;
  }

  /** The erasure that this very request, known by its tombstone id or its request id, opened or joined before. */
  answerTo({ requestHash, tombstoneId }: OpenErasure, target: ErasureTarget): Erasure | undefined {
    const request = requestHash === null ? undefined : this.requests.get(requestHash);
    if (request === undefined) return this.get(this.joined.get(tombstoneId) ?? tombstoneId);
    if (sameTarget(request.target, target)) return this.erasures.get(request.tombstoneId);
    throw new InvalidInputError(
      "requestId",
      "was used before for another scope",
      "Use a new requestId for a new request.",
    );
  }

  /** Records that the request is answered by an erasure that is open already. */
  join({ tombstoneId, requestHash }: OpenErasure, target: ErasureTarget, erasure: Erasure): Erasure {
    this.joined.set(tombstoneId, erasure.tombstone.tombstoneId);
    this.rememberRequest(requestHash, target, erasure);
    return erasure;
  }

  open(erasure: Erasure, requestHash: string | null): void {
    const { tombstoneId } = erasure.tombstone;
    this.erasures.set(tombstoneId, erasure);
    this.rememberRequest(requestHash, erasure.target, erasure);
    if (erasure.replays !== null) this.replayed.set(erasure.replays.tombstoneId, erasure);
    for (const { rowKind, id, contentTags } of erasure.items) {
      append(this.items[rowKind], id, erasure);
      for (const tag of contentTags) append(this.tagged, tag, { id, tombstoneId });
    }
    for (const placementId of erasure.placementIds) append(this.items.placement, placementId, erasure);
  }

  private rememberRequest(requestHash: string | null, target: ErasureTarget, { tombstone }: Erasure): void {
    if (requestHash !== null) this.requests.set(requestHash, { target, tombstoneId: tombstone.tombstoneId });
  }
}

function append<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function sameTarget(a: ErasureTarget, b: ErasureTarget): boolean {
  const unnamed = a.hashes.length === 0 || b.hashes.length === 0;
  const samePerson = unnamed || a.hashes.some((hash) => b.hashes.includes(hash));
  return a.scope === b.scope && samePerson && String(a.ids) === String(b.ids);
}

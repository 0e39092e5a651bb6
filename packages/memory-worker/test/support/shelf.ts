import type { CopyTag, Sink, SinkCall, SinkEntry } from "../../src/index.js";

export interface ShelfEntry {
  readonly placementId: string | null;
  readonly tenantTag: string;
  readonly text: string;
}

/** A sink that keeps what it is given in a map: the smallest one that keeps the contract. */
export class Shelf {
  readonly entries = new Map<string, ShelfEntry>();
  /** How often each method was called. */
  readonly calls: string[] = [];
  #next = 0;

  write(tag: CopyTag, text = "nothing of interest"): string {
    const ref = `entry ${String(this.#next++)}`;
    this.entries.set(ref, { placementId: tag.placementId, tenantTag: tag.tenantTag, text });
    return ref;
  }

  remove(copy: { readonly ref: string; readonly placementId: string }): void {
    this.entries.delete(copy.ref);
    for (const ref of this.tagged(copy.placementId)) this.entries.delete(ref);
  }

  tagged(placementId: string): readonly string[] {
    return [...this.entries].filter(([, entry]) => entry.placementId === placementId).map(([ref]) => ref);
  }
}

/** The sink over a shelf. A test overrides what it wants to break. */
export function shelfSink(shelf: Shelf, faults: Partial<Sink> = {}): Sink {
  return {
    name: "shelf",
    reaches: "unfindable",
    whyNotMore: "It is a map in memory.",
    async destroy(copy) {
      shelf.calls.push("destroy");
      shelf.remove(copy);
      return "acknowledged";
    },
    async readBackById({ ref }) {
      shelf.calls.push("readBackById");
      return shelf.entries.has(ref) ? "present" : "absent";
    },
    async readBackByTag({ placementId }) {
      shelf.calls.push("readBackByTag");
      return shelf.tagged(placementId);
    },
    async *enumerate(tenantTag: string, _call: SinkCall): AsyncIterable<SinkEntry> {
      for (const [ref, entry] of shelf.entries) {
        if (entry.tenantTag === tenantTag) yield { ref, placementId: entry.placementId };
      }
    },
    async plant(tag) {
      shelf.calls.push("plant");
      return shelf.write(tag, "");
    },
    ...faults,
  };
}

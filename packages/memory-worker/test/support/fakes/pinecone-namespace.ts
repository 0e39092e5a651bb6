import type { PineconeIndex } from "../../../src/index.js";

/** A namespace of a serverless index: writes are accepted at once and readable only after a while. */
export class PineconeNamespace implements PineconeIndex {
  readonly #ids = new Map<string, { readonly from: number; readonly until: number }>();

  constructor(readonly behindMilliseconds = 0) {}

  async upsert({ records }: Parameters<PineconeIndex["upsert"]>[0]) {
    for (const { id } of records) {
      this.#ids.set(id, { from: Date.now() + this.behindMilliseconds, until: Number.POSITIVE_INFINITY });
    }
  }

  async deleteMany({ ids }: { ids: string[] }) {
    if (ids.length === 0) throw new Error("Must pass in at least 1 record ID.");
    for (const id of ids) {
      const found = this.#ids.get(id);
      if (found !== undefined && found.until === Number.POSITIVE_INFINITY) {
        this.#ids.set(id, { from: found.from, until: Date.now() + this.behindMilliseconds });
      }
    }
  }

  async fetch({ ids }: { ids: string[] }) {
    return { records: Object.fromEntries(ids.filter((id) => this.#visible().includes(id)).map((id) => [id, { id }])) };
  }

  async listPaginated({ prefix, paginationToken }: Parameters<PineconeIndex["listPaginated"]>[0]) {
    const found = this.#visible().filter((id) => id.startsWith(prefix));
    const start = paginationToken === undefined ? 0 : Number(paginationToken);
    const next = start + 2 < found.length ? String(start + 2) : undefined;
    return { vectors: found.slice(start, start + 2).map((id) => ({ id })), pagination: { next } };
  }

  #visible(): readonly string[] {
    const now = Date.now();
    return [...this.#ids]
      .filter(([, { from, until }]) => from <= now && now < until)
      .map(([id]) => id)
      .sort();
  }
}

import type { ElasticsearchOperations } from "../../../src/index.js";

interface Document {
  readonly source: Readonly<Record<string, string>>;
}

type Query = {
  readonly ids?: { readonly values: readonly string[] };
  readonly term?: Readonly<Record<string, string>>;
  readonly bool?: { readonly should: readonly Query[] };
};

interface Params {
  readonly query?: Query;
  readonly body?: Params;
  readonly document?: Readonly<Record<string, string>>;
  readonly id?: string;
  readonly size?: number;
  readonly scroll?: string;
  readonly scroll_id?: string;
}

/**
 * An index that is searchable only after a refresh: a delete by query works on what a search sees, and a document
 * written since is missed. In the dialect of OpenSearch everything is in a `body`.
 */
export class SearchIndex implements ElasticsearchOperations {
  readonly #stored = new Map<string, Document>();
  #searchable = new Map<string, Document>();
  readonly #scrolls = new Map<string, { readonly ids: string[]; readonly size: number }>();
  /** How many of the next deletes meet a writer. */
  conflicts = 0;
  failShard = false;
  refreshes = 0;

  constructor(readonly dialect: "elasticsearch" | "opensearch" = "elasticsearch") {}

  readonly indices = {
    refresh: async () => {
      this.refreshes += 1;
      this.#searchable = new Map(this.#stored);
    },
  };

  write(id: string, source: Readonly<Record<string, string>>): void {
    this.#stored.set(id, { source });
  }

  async index(params: Params) {
    this.write(params.id ?? "", (this.dialect === "opensearch" ? params.body : params.document) as Document["source"]);
    await this.indices.refresh();
    return this.#answer({});
  }

  async deleteByQuery(params: Params) {
    const { query } = this.#read(params);
    const conflicts = this.conflicts > 0 ? 1 : 0;
    this.conflicts -= conflicts;
    for (const [id, document] of this.#searchable) {
      if (conflicts === 0 && matches(query, id, document)) this.#stored.delete(id);
    }
    await this.indices.refresh();
    return this.#answer({ timed_out: false, version_conflicts: conflicts, failures: [] });
  }

  async search(params: Params) {
    const { query, size = 10 } = this.#read(params);
    const ids = [...this.#searchable].filter(([id, document]) => matches(query, id, document)).map(([id]) => id);
    if (params.scroll === undefined) return this.#answer(this.#hits(ids.slice(0, size)));
    const scrollId = `scroll ${String(this.#scrolls.size)}`;
    this.#scrolls.set(scrollId, { ids, size: 2 });
    return this.#answer({ _scroll_id: scrollId, ...this.#hits(ids.splice(0, 2)) });
  }

  async scroll(params: Params) {
    const { scroll_id: scrollId = "" } = this.#read(params);
    const { ids = [], size = 2 } = this.#scrolls.get(scrollId) ?? {};
    return this.#answer({ _scroll_id: scrollId, ...this.#hits(ids.splice(0, size)) });
  }

  async clearScroll() {
    return this.#answer({});
  }

  #read(params: Params): Params {
    return this.dialect === "opensearch" ? (params.body ?? {}) : params;
  }

  #answer(answer: Readonly<Record<string, unknown>>): unknown {
    return this.dialect === "opensearch" ? { body: answer, statusCode: 200 } : answer;
  }

  #hits(ids: readonly string[]) {
    const hits = ids.map((_id) => ({ _id, _source: this.#searchable.get(_id)?.source }));
    return { timed_out: false, _shards: { failed: this.failShard ? 1 : 0 }, hits: { hits } };
  }
}

function matches(query: Query | undefined, id: string, document: Document): boolean {
  if (query === undefined) return false;
  if (query.bool !== undefined) return query.bool.should.some((part) => matches(part, id, document));
  if (query.ids !== undefined) return query.ids.values.includes(id);
  return Object.entries(query.term ?? {}).every(([field, value]) => document.source[field] === value);
}

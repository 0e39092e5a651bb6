import type { CopyTag } from "../copy.js";
import { SinkError } from "../sink-error.js";
import type { Sink, SinkCall, SinkEntry } from "../sink.js";

type Query = { ids: { values: string[] } } | { term: Record<string, string> } | { bool: { should: Query[] } };
type Answer = Readonly<Record<string, unknown>>;

/** What the adapter uses of the client of `@elastic/elasticsearch`, or of `@opensearch-project/opensearch`. */
export interface ElasticsearchOperations {
  deleteByQuery(params: never): Promise<unknown>;
  search(params: never): Promise<unknown>;
  index(params: never): Promise<unknown>;
  scroll(params: never): Promise<unknown>;
  clearScroll(params: never): Promise<unknown>;
  readonly indices: { refresh(params: never): Promise<unknown> };
}

/** An index in Elasticsearch or OpenSearch. */
export interface ElasticsearchSinkOptions {
  readonly name: string;
  readonly client: ElasticsearchOperations;
  /** One index. Behind an alias an older index may keep what this one has not. */
  readonly index: string;
  /** OpenSearch takes and answers a `body`. Default: `elasticsearch`. */
  readonly dialect?: "elasticsearch" | "opensearch";
  /** The `keyword` field with the tag's `placementId`. Default: `placement_id`. */
  readonly placementField?: string;
  /** The `keyword` field with the tag's `tenantTag`. Default: `tenant_tag`. */
  readonly tenantField?: string;
}

/**
 * Documents with `placement_id` and `tenant_tag` as keywords. A `ref` is a document's id. A delete by query works on
 * what a search sees, so the index is refreshed before it, and before each look; conflicts and failures in a good
 * answer are read.
 *
 * Reaches `unfindable`. Not `purged`: segments keep deleted documents until they are merged, and snapshots for longer.
 */
export function elasticsearchSink(options: ElasticsearchSinkOptions): Sink {
  const { name, client, index, placementField = "placement_id", tenantField = "tenant_tag" } = options;
  const openSearch = options.dialect === "opensearch";
  const send = async (
    call: (params: never) => Promise<unknown>,
    params: Readonly<Record<string, unknown>>,
    body: Readonly<Record<string, unknown>> = {},
  ): Promise<Answer> => {
    const answer = await call((openSearch ? { index, ...params, body } : { index, ...params, ...body }) as never);
    return openSearch ? (answer as { readonly body: Answer }).body : (answer as Answer);
  };
  const refresh = () => client.indices.refresh({ index } as never);
  const byQuery = (query: Query) => ({ query, size: PAGE, _source: [placementField] });
  const hits = async (query: Query): Promise<readonly Hit[]> =>
    hitsOf(await send((params) => client.search(params), {}, byQuery(query)));
  const scrollOn = async (method: "scroll" | "clearScroll", body: Answer): Promise<Answer> => {
    const answer = await client[method]((openSearch ? { body } : body) as never);
    return openSearch ? (answer as { readonly body: Answer }).body : (answer as Answer);
  };
  const byTag = (placementId: string): Query => ({ term: { [placementField]: placementId } });

  return {
    name,
    reaches: "unfindable",
    whyNotMore: "Segments keep deleted documents until they are merged, and snapshots for longer.",
    async destroy({ ref, placementId }) {
      const query: Query = { bool: { should: [{ ids: { values: [ref] } }, byTag(placementId)] } };
      for (let turn = 0; turn < TURNS; turn++) {
        await refresh();
        const params = { conflicts: "proceed", refresh: true, wait_for_completion: true };
        const answer = await send((all) => client.deleteByQuery(all), params, { query });
        if (answer["timed_out"] === true) throw new SinkError("timeout");
        const failures = answer["failures"];
        if (Array.isArray(failures) && failures.length > 0) throw new SinkError("unavailable");
        if (answer["version_conflicts"] === 0) return "acknowledged";
      }
      // Somebody keeps writing to it.
      throw new SinkError("unavailable");
    },
    async readBackById({ ref }) {
      await refresh();
      return (await hits({ ids: { values: [ref] } })).length > 0 ? "present" : "absent";
    },
    async readBackByTag({ placementId }) {
      await refresh();
      return (await hits(byTag(placementId))).map(({ _id }) => _id);
    },
    async *enumerate(tenantTag: string, { signal }: SinkCall): AsyncIterable<SinkEntry> {
      await refresh();
      // A scroll reads one state of the index, whatever is written meanwhile.
      const query = byQuery({ term: { [tenantField]: tenantTag } });
      let page = await send((params) => client.search(params), { scroll: KEPT }, query);
      try {
        for (let found = hitsOf(page); found.length > 0 && !signal.aborted; found = hitsOf(page)) {
          for (const { _id, _source } of found) {
            const placementId = _source?.[placementField];
            yield { ref: _id, placementId: typeof placementId === "string" ? placementId : null };
          }
          page = await scrollOn("scroll", { scroll_id: page["_scroll_id"], scroll: KEPT });
        }
      } finally {
        await scrollOn("clearScroll", { scroll_id: page["_scroll_id"] }).catch(() => undefined);
      }
    },
    async plant(tag) {
      const id = `control-${tag.placementId}`;
      const document = { [placementField]: tag.placementId, [tenantField]: tag.tenantTag };
      await send((params) => client.index(params), { id, refresh: true }, openSearch ? document : { document });
      return id;
    },
  };
}

/** The fields of a document that carry its tag; both are mapped as `keyword`. */
export function elasticsearchFields(tag: CopyTag): { placement_id: string; tenant_tag: string } {
  return { placement_id: tag.placementId, tenant_tag: tag.tenantTag };
}

interface Hit {
  readonly _id: string;
  readonly _source?: Readonly<Record<string, unknown>> | undefined;
}

function hitsOf(answer: Answer): readonly Hit[] {
  if (answer["timed_out"] === true) throw new SinkError("timeout");
  // A shard that did not answer may hold what is looked for.
  const shards = answer["_shards"] as { readonly failed?: number } | undefined;
  if ((shards?.failed ?? 0) > 0) throw new SinkError("unavailable");
  const found = answer["hits"] as { readonly hits?: readonly Hit[] } | undefined;
  if (found?.hits === undefined) throw new SinkError("other");
  return found.hits;
}

const PAGE = 500;
const KEPT = "1m";
const TURNS = 3;

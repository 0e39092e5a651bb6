import type { CopyTag } from "../copy.js";
import type { Sink, SinkEntry } from "../sink.js";

type PointId = string | number;

interface Point {
  readonly id: PointId;
  readonly payload?: Readonly<Record<string, unknown>> | null | undefined;
}

interface Filter {
  must?: QdrantCondition[];
  should?: QdrantCondition[];
}

type QdrantCondition = { key: string; match: { value: string } } | { has_id: PointId[] };

/** What the adapter uses of `QdrantClient` of `@qdrant/js-client-rest`. */
export interface QdrantOperations {
  delete(
    collection: string,
    args: { wait: boolean; ordering: "strong"; filter: Filter },
  ): Promise<{ readonly status: string }>;
  retrieve(
    collection: string,
    args: { ids: PointId[]; with_payload: boolean; consistency: "all" },
  ): Promise<readonly Point[]>;
  scroll(
    collection: string,
    args: { filter: Filter; limit: number; with_payload: boolean; consistency: "all"; offset?: PointId },
  ): Promise<{ readonly points: readonly Point[]; readonly next_page_offset?: unknown }>;
  upsert(
    collection: string,
    args: { wait: boolean; points: { id: PointId; vector: number[]; payload: Record<string, string> }[] },
  ): Promise<unknown>;
}

/** A collection in Qdrant. */
export interface QdrantSinkOptions {
  readonly name: string;
  readonly client: QdrantOperations;
  readonly collection: string;
  /** A vector of the collection's length, for a point without content that is planted as the positive control. */
  readonly controlVector?: readonly number[];
}

/**
 * Points whose payload has `placement_id` and `tenant_tag` (`qdrantPayload`). A `ref` is a point's id. They are deleted
 * by a filter, waited for at the strongest ordering, and read back from every replica.
 *
 * Reaches `unfindable`. Not `purged`: segments keep deleted points until the optimizer rewrites them, the write-ahead
 * log and snapshots for longer, and the client cannot see either.
 */
export function qdrantSink({ name, client, collection, controlVector }: QdrantSinkOptions): Sink {
  const scroll = async function* (filter: Filter): AsyncIterable<SinkEntry> {
    let offset: PointId | undefined;
    do {
      const page = await client.scroll(collection, {
        filter,
        limit: PAGE,
        with_payload: true,
        consistency: "all",
        ...(offset === undefined ? {} : { offset }),
      });
      for (const { id, payload } of page.points) {
        const placementId = payload?.["placement_id"];
        yield { ref: String(id), placementId: typeof placementId === "string" ? placementId : null };
      }
      const next = page.next_page_offset;
      offset = typeof next === "string" || typeof next === "number" ? next : undefined;
    } while (offset !== undefined);
  };

  return {
    name,
    reaches: "unfindable",
    whyNotMore:
      "Segments keep deleted points until they are rewritten; the write-ahead log and snapshots keep them longer.",
    async destroy({ ref, placementId }) {
      // By a filter, the id in it: deleting by id alone has been seen to leave points behind.
      const filter = { should: [{ has_id: [pointId(ref)] }, tagged("placement_id", placementId)] };
      const { status } = await client.delete(collection, { wait: true, ordering: "strong", filter });
      return status === "completed" ? "acknowledged" : "requested";
    },
    async readBackById({ ref }) {
      const ids = [pointId(ref)];
      const points = await client.retrieve(collection, { ids, with_payload: false, consistency: "all" });
      return points.length > 0 ? "present" : "absent";
    },
    async readBackByTag({ placementId }) {
      const found: string[] = [];
      for await (const { ref } of scroll({ must: [tagged("placement_id", placementId)] })) found.push(ref);
      return found;
    },
    enumerate: (tenantTag: string) => scroll({ must: [tagged("tenant_tag", tenantTag)] }),
    ...(controlVector === undefined
      ? {}
      : {
          async plant(tag: CopyTag) {
            const points = [{ id: tag.placementId, vector: [...controlVector], payload: qdrantPayload(tag) }];
            await client.upsert(collection, { wait: true, points });
            return tag.placementId;
          },
        }),
  };
}

/** The fields of a point's payload that carry its tag. */
export function qdrantPayload(tag: CopyTag): { placement_id: string; tenant_tag: string } {
  return { placement_id: tag.placementId, tenant_tag: tag.tenantTag };
}

const PAGE = 256;

function tagged(key: string, value: string): QdrantCondition {
  return { key, match: { value } };
}

// Ids are UUIDs or whole numbers, and a number is not found under its text.
function pointId(ref: string): PointId {
  return /^\d{1,15}$/.test(ref) ? Number(ref) : ref;
}

import { tagOf, type CopyTag } from "../copy.js";
import type { Sink, SinkEntry } from "../sink.js";

interface Page {
  readonly pagination?: { readonly next?: string | undefined } | undefined;
}

/** What the adapter uses of an index, or of one namespace of it, of `@pinecone-database/pinecone` 8. */
export interface PineconeIndex {
  deleteMany(options: { ids: string[] }): Promise<unknown>;
  fetch(options: { ids: string[] }): Promise<{ readonly records: Readonly<Record<string, unknown>> }>;
  listPaginated(options: {
    prefix: string;
    limit: number;
    paginationToken?: string;
  }): Promise<Page & { readonly vectors?: readonly { readonly id?: string | undefined }[] | undefined }>;
  upsert(options: { records: { id: string; values: number[] }[] }): Promise<unknown>;
}

/** A serverless index of Pinecone. */
export interface PineconeSinkOptions {
  readonly name: string;
  readonly index: PineconeIndex;
  /** How far reads may be behind. Default: 60 seconds. */
  readonly settleSeconds?: number;
  /** A vector of the index's length, not all zeros, for a record without content that is planted as the positive control. */
  readonly controlVector?: readonly number[];
}

/**
 * Records whose ids begin with the tag, as `pineconeId` makes them: ids can be listed by a prefix, and only so. A `ref`
 * is an id. Reads are behind by an unknown time, so two looks, `settleSeconds` apart, must see nothing.
 *
 * Reaches `unfindable`. Not `purged`: deleted data is kept by the service for up to 90 days, and backups longer.
 */
export function pineconeSink(options: PineconeSinkOptions): Sink {
  const { name, index, controlVector } = options;
  const idsUnder = async function* (prefix: string): AsyncIterable<string> {
    let paginationToken: string | undefined;
    do {
      const page = await index.listPaginated({
        prefix,
        limit: PAGE,
        ...(paginationToken === undefined ? {} : { paginationToken }),
      });
      for (const { id } of page.vectors ?? []) if (id !== undefined) yield id;
      paginationToken = page.pagination?.next;
    } while (paginationToken !== undefined && paginationToken !== "");
  };
  const all = async (ids: AsyncIterable<string>): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const id of ids) found.push(id);
    return found;
  };

  return {
    name,
    reaches: "unfindable",
    whyNotMore: "The service keeps deleted data for up to 90 days, and backups of the index longer.",
    settleSeconds: options.settleSeconds ?? 60,
    async destroy(copy) {
      const tagged = await all(idsUnder(pineconeId(tagOf(copy), "")));
      const ids = [...new Set([copy.ref, ...tagged])];
      for (let start = 0; start < ids.length; start += BATCH) {
        await index.deleteMany({ ids: ids.slice(start, start + BATCH) });
      }
      return "acknowledged";
    },
    async readBackById({ ref }) {
      return ref in (await index.fetch({ ids: [ref] })).records ? "present" : "absent";
    },
    readBackByTag: (tag) => all(idsUnder(pineconeId(tag, ""))),
    async *enumerate(tenantTag: string): AsyncIterable<SinkEntry> {
      for await (const ref of idsUnder(`${tenantTag}#`)) yield { ref, placementId: ref.split("#")[1] ?? null };
    },
    ...(controlVector === undefined
      ? {}
      : {
          async plant(tag: CopyTag) {
            const id = pineconeId(tag, "control");
            await index.upsert({ records: [{ id, values: [...controlVector] }] });
            return id;
          },
        }),
  };
}

/** The id of a copy: the `ref` of its placement. Keep persons out of its name. */
export function pineconeId(tag: CopyTag, name: string): string {
  return `${tag.tenantTag}#${tag.placementId}#${name}`;
}

const PAGE = 100;
const BATCH = 1000;

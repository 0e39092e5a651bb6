import type { CopyTag } from "../copy.js";
import type { Sink, SinkCall, SinkEntry } from "../sink.js";
import { bytesInFolder } from "./bytes-in-folder.js";

type Where = Readonly<Record<string, string>>;

/** What the adapter uses of a collection of `chromadb`. */
export interface ChromaCollection {
  get(args: { ids?: string[]; where?: Where; include?: "metadatas"[]; limit?: number; offset?: number }): Promise<{
    readonly ids: readonly string[];
    readonly metadatas?: readonly (Readonly<Record<string, unknown>> | null)[];
  }>;
  delete(args: { ids?: string[]; where?: Where }): Promise<unknown>;
  upsert(args: { ids: string[]; embeddings: number[][]; metadatas: Record<string, string>[] }): Promise<unknown>;
}

/** A collection in Chroma. */
export interface ChromaSinkOptions {
  readonly name: string;
  readonly collection: ChromaCollection;
  /** A vector of the collection's length, for an entry without content that is planted as the positive control. */
  readonly controlVector?: readonly number[];
  /**
   * What it takes for `purged`: Chroma keeps the text of deleted entries in its log. `vacuum` runs `chroma vacuum` on
   * the folder, and the adapter then looks for the tag in the files. The log goes only as far as the vector index has
   * been written: with few writes, that takes a collection with a low `hnsw.sync_threshold`.
   */
  readonly purge?: { readonly dataFolder: string; readonly vacuum: () => Promise<void> };
}

/**
 * Entries of a Chroma collection, whose metadata has `placement_id` and `tenant_tag` (`chromaMetadata`). A `ref` is an
 * id. Reaches `unfindable`, and `purged` with `purge`.
 */
export function chromaSink(options: ChromaSinkOptions): Sink {
  const { name, collection, controlVector, purge } = options;
  return {
    name,
    reaches: purge === undefined ? "unfindable" : "purged",
    whyNotMore:
      purge === undefined
        ? "The log keeps the text of deleted entries until it is purged."
        : "Copies of the data folder, such as snapshots, are not reached.",
    async destroy({ ref, placementId }) {
      // Twice: what is given as ids and as a condition is combined with "and". It says the same of a missing id.
      await collection.delete({ ids: [ref] });
      await collection.delete({ where: { placement_id: placementId } });
      return "acknowledged";
    },
    async readBackById({ ref }) {
      const { ids } = await collection.get({ ids: [ref], include: ["metadatas"] });
      return ids.length > 0 ? "present" : "absent";
    },
    async readBackByTag({ placementId }) {
      return (await collection.get({ where: { placement_id: placementId }, include: ["metadatas"] })).ids;
    },
    enumerate: (tenantTag: string) => entries(collection, tenantTag),
    ...(controlVector === undefined
      ? {}
      : {
          async plant(tag: CopyTag) {
            const id = `control-${tag.placementId}`;
            await collection.upsert({ ids: [id], embeddings: [[...controlVector]], metadatas: [chromaMetadata(tag)] });
            return id;
          },
        }),
    ...(purge === undefined
      ? {}
      : {
          async purge({ placementId }: { readonly placementId: string }, { signal }: SinkCall) {
            await purge.vacuum();
            return (await bytesInFolder(purge.dataFolder, placementId, signal)) ? "present" : "absent";
          },
        }),
  };
}

/** The fields of an entry's metadata that carry its tag. */
export function chromaMetadata(tag: CopyTag): { placement_id: string; tenant_tag: string } {
  return { placement_id: tag.placementId, tenant_tag: tag.tenantTag };
}

const PAGE = 500;

async function* entries(collection: ChromaCollection, tenantTag: string): AsyncIterable<SinkEntry> {
  for (let offset = 0; ; offset += PAGE) {
    const page = { where: { tenant_tag: tenantTag }, include: ["metadatas" as const], limit: PAGE, offset };
    const { ids, metadatas } = await collection.get(page);
    for (const [index, ref] of ids.entries()) {
      const placementId = metadatas?.[index]?.["placement_id"];
      yield { ref, placementId: typeof placementId === "string" ? placementId : null };
    }
    if (ids.length < PAGE) return;
  }
}

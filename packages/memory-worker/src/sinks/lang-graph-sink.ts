import type { CopyTag } from "../copy.js";
import { SinkError } from "../sink-error.js";
import type { Sink, SinkEntry } from "../sink.js";

interface Config {
  configurable: { thread_id?: string; checkpoint_ns?: string };
}

interface Tuple {
  readonly config: { readonly configurable?: { readonly thread_id?: unknown } | undefined };
  readonly metadata?: unknown;
}

/** What the adapter uses of a checkpointer of `@langchain/langgraph-checkpoint`. */
export interface LangGraphSaver {
  getTuple(config: Config): Promise<unknown>;
  list(config: Config, options: { filter?: Record<string, string>; limit?: number }): AsyncIterable<Tuple>;
  deleteThread(threadId: string): Promise<void>;
  put(config: Config, checkpoint: never, metadata: never, newVersions: never): Promise<unknown>;
}

/** Threads of a LangGraph checkpointer. */
export interface LangGraphSinkOptions {
  readonly name: string;
  readonly saver: LangGraphSaver;
}

/**
 * Threads whose runs were given `langGraphMetadata(tag)` as the metadata of their config, which every checkpoint then
 * carries. A `ref` is a thread id.
 *
 * Reaches `unfindable`. Not `purged`: writes of a step that ends after its thread was deleted are stored, and the
 * interface does not show them. The store under the checkpointer keeps what such a store keeps.
 */
export function langGraphSink({ name, saver }: LangGraphSinkOptions): Sink {
  const threads = async (filter: Record<string, string>): Promise<ReadonlyMap<string, string | null>> => {
    const found = new Map<string, string | null>();
    for await (const { config, metadata } of saver.list({ configurable: {} }, { filter })) {
      const thread = config.configurable?.thread_id;
      const placementId = (metadata as Readonly<Record<string, unknown>> | undefined)?.["placement_id"];
      if (typeof thread !== "string") throw new SinkError("other");
      found.set(thread, typeof placementId === "string" ? placementId : null);
    }
    return found;
  };
  return {
    name,
    reaches: "unfindable",
    whyNotMore: "Writes of a step that ends after its thread was deleted are stored, and not shown.",
    async destroy({ ref, placementId }) {
      await saver.deleteThread(ref);
      for (const thread of (await threads({ placement_id: placementId })).keys()) await saver.deleteThread(thread);
      return "acknowledged";
    },
    async readBackById({ ref }) {
      const config = { configurable: { thread_id: ref } };
      if ((await saver.getTuple(config)) !== undefined) return "present";
      // In whatever namespace.
      for await (const _tuple of saver.list(config, { limit: 1 })) return "present";
      return "absent";
    },
    async readBackByTag({ placementId }) {
      return [...(await threads({ placement_id: placementId })).keys()];
    },
    async *enumerate(tenantTag: string): AsyncIterable<SinkEntry> {
      for (const [ref, placementId] of await threads({ tenant_tag: tenantTag })) yield { ref, placementId };
    },
    async plant(tag) {
      const thread_id = `control-${tag.placementId}`;
      const config = { configurable: { thread_id, checkpoint_ns: "" } };
      await saver.put(config, EMPTY as never, { ...METADATA, ...langGraphMetadata(tag) } as never, {} as never);
      return thread_id;
    },
  };
}

/** The metadata of a run's config that carries the tag: `graph.invoke(input, { configurable, metadata })`. */
export function langGraphMetadata(tag: CopyTag): { placement_id: string; tenant_tag: string } {
  return { placement_id: tag.placementId, tenant_tag: tag.tenantTag };
}

const EMPTY = {
  v: 4,
  id: "00000000-0000-6000-8000-000000000000",
  ts: "1970-01-01T00:00:00.000Z",
  channel_values: {},
  channel_versions: {},
  versions_seen: {},
};
const METADATA = { source: "input", step: -1, parents: {} };

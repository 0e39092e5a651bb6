import { tenantTag, type CopyTag } from "../copy.js";
import { SinkError } from "../sink-error.js";
import type { Sink, SinkCall, SinkEntry } from "../sink.js";

/** What the adapter uses of a client: `sendCommand` of node-redis, or `call` of ioredis. */
export type RedisClient =
  { sendCommand(args: string[]): Promise<unknown> } | { call(command: string, ...args: string[]): Promise<unknown> };

/** Keys in Redis or Valkey. */
export interface RedisSinkOptions {
  readonly name: string;
  readonly client: RedisClient;
  /** In front of the keys of the index. Default: `demystify-memory:`. */
  readonly prefix?: string;
  /**
   * Rewrites the append-only file and the snapshot after each copy and waits for both, which is what it takes for
   * `purged`. Needs the commands CONFIG GET, BGREWRITEAOF, BGSAVE and INFO, and costs a pass over the whole database.
   */
  readonly rewrite?: boolean;
}

/**
 * Keys that `redisWrite` stored: it keeps an index set of the keys of every placement, and one of the placements of
 * every tenant, so the keyspace is never scanned. A `ref` is a key.
 *
 * Reaches `unfindable`; `purged` with `rewrite`, where neither the append-only file nor the snapshot on the server's
 * disk holds it any more. Replicas, older snapshots and backups are not reached.
 */
export function redisSink(options: RedisSinkOptions): Sink {
  const { name, prefix = "demystify-memory:" } = options;
  const send = sender(options.client);
  const keys = indexKeys(prefix);

  const existing = async (candidates: readonly string[]): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const key of candidates) if ((await send("EXISTS", key)) === 1) found.push(key);
    return found;
  };
  const membersOf = async (key: string) => (await send("SMEMBERS", key)) as readonly string[];

  return {
    name,
    reaches: options.rewrite === true ? "purged" : "unfindable",
    whyNotMore:
      options.rewrite === true
        ? "Replicas, older snapshots and backups are not reached."
        : "The append-only file and the last snapshot hold the value until they are rewritten.",
    async destroy(copy) {
      const members = await membersOf(keys.ofPlacement(copy.placementId));
      await send("UNLINK", copy.ref, ...members);
      // The index goes last: without it a value that is left could not be found by its tag.
      if ((await existing([copy.ref, ...members])).length > 0) throw new SinkError("still_present");
      await send("UNLINK", keys.ofPlacement(copy.placementId));
      await send("SREM", keys.ofTenant(tenantTag(copy.tenantKey)), copy.placementId);
      return "acknowledged";
    },
    async readBackById({ ref }) {
      return (await existing([ref])).length > 0 ? "present" : "absent";
    },
    async readBackByTag({ placementId }) {
      return existing(await membersOf(keys.ofPlacement(placementId)));
    },
    async *enumerate(tag: string, { signal }: SinkCall): AsyncIterable<SinkEntry> {
      let cursor = "0";
      do {
        const [next, placements] = (await send("SSCAN", keys.ofTenant(tag), cursor, "COUNT", "500")) as [
          string,
          string[],
        ];
        cursor = next;
        for (const placementId of placements) {
          if (signal.aborted) return;
          for (const ref of await existing(await membersOf(keys.ofPlacement(placementId)))) yield { ref, placementId };
        }
      } while (cursor !== "0");
    },
    async plant(tag) {
      const key = `${prefix}control:${tag.placementId}`;
      await redisWrite({ client: options.client, prefix, tag, key, value: "", expireSeconds: 600 });
      return key;
    },
    ...(options.rewrite === true ? { purge: (_copy: unknown, call: SinkCall) => rewriteFiles(send, call) } : {}),
  };
}

/** One value as `redisWrite` stores it. */
export interface RedisWrite {
  readonly client: RedisClient;
  readonly prefix?: string;
  readonly tag: CopyTag;
  readonly key: string;
  readonly value: string;
  /** When the value expires by itself. */
  readonly expireSeconds?: number;
}

/**
 * Stores a value so that it can be found by its tag. The index stands before the value: a crash between the two leaves
 * an index entry of nothing, never a value that cannot be found.
 */
export async function redisWrite(write: RedisWrite): Promise<void> {
  const { tag, key, value, expireSeconds, prefix = "demystify-memory:" } = write;
  const send = sender(write.client);
  const keys = indexKeys(prefix);
  await send("SADD", keys.ofTenant(tag.tenantTag), tag.placementId);
  await send("SADD", keys.ofPlacement(tag.placementId), key);
  await send("SET", key, value, ...(expireSeconds === undefined ? [] : ["EX", String(expireSeconds)]));
}

function indexKeys(prefix: string) {
  return {
    ofPlacement: (placementId: string) => `${prefix}placement:${placementId}`,
    ofTenant: (tenantTag: string) => `${prefix}tenant:${tenantTag}`,
  };
}

type Send = (...args: string[]) => Promise<unknown>;

function sender(client: RedisClient): Send {
  return async (...args) => {
    if ("sendCommand" in client) return client.sendCommand(args);
    const [command = "", ...rest] = args;
    return client.call(command, ...rest);
  };
}

const PAUSE_MILLISECONDS = 20;

// Each file is written anew by the server in the background; a rewrite under way began before the delete, so it is
// waited for and another one asked for.
async function rewriteFiles(send: Send, { signal }: SinkCall): Promise<"absent"> {
  if ((await settingOf(send, "appendonly")) === "yes") {
    await whenIdle(send, signal);
    await send("BGREWRITEAOF");
    const info = await whenIdle(send, signal);
    if (info.get("aof_last_bgrewrite_status") !== "ok") throw new SinkError("unavailable");
  }
  await whenIdle(send, signal);
  await send("BGSAVE");
  const info = await whenIdle(send, signal);
  if (info.get("rdb_last_bgsave_status") !== "ok") throw new SinkError("unavailable");
  return "absent";
}

// A list of two in the older protocol, an object or a map in the newer one.
async function settingOf(send: Send, name: string): Promise<unknown> {
  const reply = await send("CONFIG", "GET", name);
  if (Array.isArray(reply)) return reply[1];
  return reply instanceof Map ? reply.get(name) : (reply as Readonly<Record<string, unknown>>)[name];
}

async function whenIdle(send: Send, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  for (;;) {
    const text = (await send("INFO", "persistence")) as string;
    const info = new Map(text.split("\r\n").map((line) => line.split(":") as [string, string]));
    const busy = ["aof_rewrite_in_progress", "aof_rewrite_scheduled", "rdb_bgsave_in_progress"];
    if (busy.every((field) => info.get(field) === "0")) return info;
    if (signal.aborted) throw new SinkError("timeout");
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
  }
}

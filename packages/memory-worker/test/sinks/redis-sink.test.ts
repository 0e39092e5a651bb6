import { randomUUID } from "node:crypto";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redisSink, redisWrite, tagOf } from "../../src/index.js";
import { sinkConformanceCases } from "../../src/testing/index.js";
import { redisIsMissing, startRedis, type RedisServer } from "../support/redis-server.js";
import { describeWhere } from "../support/where-available.js";

const call = { signal: new AbortController().signal };

describeWhere(redisIsMissing(), "the redis sink, on a real server", () => {
  let server: RedisServer;
  let client: ReturnType<typeof connect>;
  const connect = () => createClient({ socket: { path: server.socket, tls: false } });

  beforeAll(async () => {
    server = await startRedis();
    client = connect();
    await client.connect();
  });
  afterAll(async () => {
    await client.close();
    await server.remove();
  });

  for (const rewrite of [false, true]) {
    describe(rewrite ? "with its files rewritten" : "as it is", () => {
      const cases = sinkConformanceCases({
        createSink: () => redisSink({ name: "cache", client, rewrite }),
        write: async (_sink, tag, value) => {
          const key = `answer:${randomUUID()}`;
          await redisWrite({ client, tag, key, value });
          return key;
        },
        dump: () => server.dump(),
      });
      for (const { name, run } of cases) test(name, run);
    });
  }

  test("without a rewrite the append-only file keeps the text, so it does not say purged", async () => {
    const sink = redisSink({ name: "cache", client });
    const copy = { tenantKey: "acme", placementId: randomUUID(), ref: "answer:kept", kind: "answer" };
    await redisWrite({ client, tag: tagOf(copy), key: copy.ref, value: "needleinthefile" });

    await sink.destroy(copy, call);

    expect(await sink.readBackById?.(copy, call)).toBe("absent");
    expect(server.dump()).toContain("needleinthefile");
    expect(sink.reaches).toBe("unfindable");
  });

  test("the keyspace is never scanned", async () => {
    const commands: string[] = [];
    const listening = {
      sendCommand: (args: string[]) => {
        commands.push(args[0] ?? "");
        return client.sendCommand(args);
      },
    };
    const sink = redisSink({ name: "cache", client: listening });
    const copy = { tenantKey: "acme", placementId: randomUUID(), ref: "answer:1", kind: "answer" };
    await redisWrite({ client: listening, tag: tagOf(copy), key: copy.ref, value: "text" });

    await sink.destroy(copy, call);
    await sink.readBackByTag?.(tagOf(copy), call);
    const listed: unknown[] = [];
    for await (const entry of sink.enumerate?.(tagOf(copy).tenantTag, call) ?? []) listed.push(entry);

    expect(commands.length).toBeGreaterThan(5);
    expect(commands).not.toContain("SCAN");
    expect(commands).not.toContain("KEYS");
  });

  test("an ioredis-shaped client serves as well", async () => {
    const shaped = { call: (command: string, ...args: string[]) => client.sendCommand([command, ...args]) };
    const sink = redisSink({ name: "cache", client: shaped });
    const copy = { tenantKey: "acme", placementId: randomUUID(), ref: "answer:io", kind: "answer" };
    await redisWrite({ client: shaped, tag: tagOf(copy), key: copy.ref, value: "text" });

    await sink.destroy(copy, call);

    expect(await client.get("answer:io")).toBeNull();
  });
});

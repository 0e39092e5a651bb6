import { percentile } from "../measure.js";
import type { Options } from "../options.js";
import type { Recorder } from "../recorder.js";
import type { Target } from "../result/row.js";
import { connect, newDatabase, openPostgres, startServer } from "../stores/postgres.js";
import { messageFrom, queryFrom, randomFrom } from "../words.js";
import { textOf } from "../cases/raw-recall.js";
import type { Cluster } from "../../../packages/memory/test/support/native-postgres.js";
import { openChild } from "./child-peer.js";
import { installPeers, node22, versionOf } from "./install.js";
import { leftBehind } from "./left-behind.js";
import { ourselves, rawSql } from "./own-peers.js";
import type { Peer } from "./peer.js";
import { embed } from "../../peers/embedder.mjs";

const PACKAGES = [
  { name: "LangGraph store", module: "langgraph", of: "@langchain/langgraph-checkpoint-postgres", newNode: false },
  { name: "mem0", module: "mem0", of: "mem0ai", newNode: false },
  { name: "Mastra memory", module: "mastra", of: "@mastra/memory", newNode: true },
];

const AMOUNT = {
  quick: { texts: 20, rounds: 1, searches: 3 },
  default: { texts: 300, rounds: 3, searches: 20 },
  full: { texts: 1000, rounds: 5, searches: 100 },
};

const CANARY = "zanzibarcanary";

type Times = Record<"put" | "search" | "erase", number[]>;

/**
 * Puts, searches and erases persons with each peer in turn, all on one server; then counts what is left of one whose
 * texts held a word nobody else used, and of whom a summary was kept.
 */
export async function runPeers(options: Options, recorder: Recorder): Promise<void> {
  installPeers((text) => {
    recorder.progress(text);
  });
  const { texts, rounds, searches } = AMOUNT[options.scale.name];
  const cluster = await startServer();
  const peers = await openPeers(cluster, recorder, texts);
  try {
    const times = new Map(peers.map((peer): [Peer, Times] => [peer, { put: [], search: [], erase: [] }]));
    // Everybody does everything in round 0, which warms up.
    for (let round = 0; round <= rounds; round++) {
      for (let turn = 0; turn < peers.length; turn++) {
        const peer = peers[(turn + round) % peers.length]!;
        recorder.progress(`peers, round ${String(round)}: ${peer.name}`);
        const measured = await oneRound(peer, round, texts, searches).catch((error: unknown) => {
          recorder.unmeasured({ case: "peers", store: peer.name, size: texts }, "failed", messageOf(error));
          times.delete(peer);
          return null;
        });
        if (measured === null || round === 0) continue;
        const all = times.get(peer);
        for (const what of ["put", "search", "erase"] as const) all?.[what].push(...measured[what]);
      }
    }
    tell(recorder, times, texts);
    for (const peer of times.keys()) await tellLeft(recorder, cluster, peer, texts);
  } finally {
    for (const peer of peers) await peer.close().catch(() => undefined);
    await cluster.remove();
  }
}

async function openPeers(cluster: Cluster, recorder: Recorder, texts: number): Promise<readonly Peer[]> {
  const store = await openPostgres(cluster, "peer_ours");
  recorder.versions(store.versions);
  const place = (name: string) => ({ case: "peers", store: name, size: texts });
  if (store.noVectors !== null) {
    for (const { name } of PACKAGES) recorder.unmeasured(place(name), "not run", store.noVectors);
    await store.close();
    return [];
  }
  const raw = await connect((await newDatabase(cluster, "peer_raw")).href);
  const peers: Peer[] = [ourselves(store, "peer_ours", embed), await rawSql(raw, "peer_raw", embed)];
  for (const { name, module, of, newNode } of PACKAGES) {
    const node = newNode ? node22() : process.execPath;
    if (node === null) {
      recorder.unmeasured(place(name), "not run", "it needs Node 22, and this is an older one");
      continue;
    }
    const database = `peer_${module}`;
    const url = (await newDatabase(cluster, database)).href;
    try {
      peers.push(await openChild({ name, module, node, url, database }));
      recorder.versions({ [of]: versionOf(of) });
    } catch (error) {
      recorder.unmeasured(place(name), "failed", messageOf(error));
    }
  }
  return peers;
}

async function oneRound(peer: Peer, round: number, count: number, searches: number): Promise<Times> {
  const user = `user-${String(round)}`;
  const random = randomFrom(100 + round);
  // Somebody else's are there as well, and stay.
  await peer.put(
    `stays-${String(round)}`,
    Array.from({ length: count }, () => messageFrom(random)),
  );
  const put = await peer.put(
    user,
    Array.from({ length: count }, () => messageFrom(random)),
  );
  const search: number[] = [];
  for (let n = 0; n < searches; n++) {
    const { ms, found } = await peer.search(user, textOf(queryFrom(random)));
    if (found === 0) throw new Error("a search found nothing of what was put");
    search.push(ms);
  }
  return { put: [put], search, erase: [await peer.erase(user)] };
}

function tell(recorder: Recorder, times: ReadonlyMap<Peer, Times>, texts: number): void {
  const works = {
    put: { work: `put ${String(texts)} texts of one person`, per: texts },
    search: { work: "search, 10 of one person", per: undefined },
    erase: { work: `erase a person of ${String(texts)} texts`, per: texts },
  } as const;
  for (const [what, { work, per }] of Object.entries(works) as [keyof Times, (typeof works)[keyof Times]][]) {
    const scaled = (peer: Peer, share: number) =>
      (percentile(times.get(peer)?.[what] ?? [], share) * (per === undefined ? 1 : 1000)) / (per ?? 1);
    const others = [...times.keys()].filter(({ name }) => name !== "this library" && name !== "raw SQL");
    const best = Math.min(...others.map((peer) => scaled(peer, 0.5)));
    const raw = [...times.keys()].find(({ name }) => name === "raw SQL");
    const floor = raw === undefined ? undefined : scaled(raw, 0.5);
    for (const peer of times.keys()) {
      const ours = scaled(peer, 0.5);
      const targets: Target[] =
        peer.name === "this library" && others.length > 0 ? [{ of: "ours", atMost: Number(best.toPrecision(3)) }] : [];
      recorder.figure(
        { case: "peers", store: peer.name, size: texts },
        {
          work,
          unit: per === undefined ? "ms" : "µs a row",
          ours,
          p95: scaled(peer, 0.95),
          targets,
          ...(floor === undefined || peer === raw ? {} : { raw: floor, floor: "plain table", ratio: ours / floor }),
          ...(targets.length === 0 ? {} : { note: "the target is the fastest peer of this run" }),
        },
      );
    }
  }
}

async function tellLeft(recorder: Recorder, cluster: Cluster, peer: Peer, texts: number): Promise<void> {
  const place = { case: "peers", store: peer.name, size: texts };
  const random = randomFrom(77);
  try {
    await peer.put(
      "canary",
      Array.from({ length: texts }, () => `${CANARY} ${messageFrom(random)}`),
    );
    await peer.digest(`The team heard that ${CANARY} disputed an invoice`, "canary");
    const client = await connect(cluster.url(peer.database));
    try {
      const count = async () => leftBehind(client, cluster.dataDir, await peer.files(), CANARY);
      const before = await count();
      if (before.rows === 0) throw new Error("the word is nowhere before the erasure: nothing can be counted");
      await peer.erase("canary");
      const left = await count();
      const where = left.tables.length === 0 ? "" : ` in ${left.tables.join(", ")}`;
      recorder.figure(place, {
        work: "rows that still hold a word of an erased person, of whom a summary was kept",
        unit: "rows left",
        ours: left.rows,
        targets: peer.name === "this library" ? [{ of: "ours", atMost: 0 }] : [],
        note:
          `${String(left.rows)} of ${String(before.rows)} rows${where}; ${String(left.inIndexes)} times in index files; ` +
          `${String(left.inFiles)} times in files beside the database`,
      });
    } finally {
      await client.end();
    }
  } catch (error) {
    recorder.unmeasured(place, "failed", messageOf(error));
  }
}

function messageOf(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return line.replace(/(?:file:\/\/)?\/[\w.-]+\/\S+/g, "a file").slice(0, 160);
}

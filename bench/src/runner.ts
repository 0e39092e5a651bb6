import type { Cluster } from "../../packages/memory/test/support/native-postgres.js";
import { GROWTH, SINGLE } from "./cases/index.js";
import { NotRun } from "./cases/case.js";
import { openInMemory } from "./stores/in-memory.js";
import { openPglite } from "./stores/pglite.js";
import { openPostgres, startServer } from "./stores/postgres.js";
import type { Store, StoreName } from "./stores/store.js";
import { makeWorld } from "./world.js";
import { scaleFor } from "./scale.js";
import type { Options } from "./options.js";
import type { Recorder } from "./recorder.js";

/** Runs the selected cases in the selected stores. A case that fails is a row that says so, and the next one runs. */
export async function runCases(options: Options, recorder: Recorder): Promise<void> {
  let cluster: Cluster | undefined;
  let databases = 0;
  const open = async (name: StoreName): Promise<Store> => {
    if (name === "in memory") return openInMemory();
    if (name === "PGlite") return openPglite();
    cluster ??= await startServer();
    databases += 1;
    return openPostgres(cluster, `bench_${String(databases)}`);
  };
  try {
    for (const store of options.stores) {
      await growing(options, recorder, store, open);
      await alone(options, recorder, store, open);
    }
  } finally {
    await cluster?.remove();
  }
}

type Open = (name: StoreName) => Promise<Store>;

async function growing(
  { cases, scale: asked }: Options,
  recorder: Recorder,
  name: StoreName,
  open: Open,
): Promise<void> {
  const selected = GROWTH.filter((each) => isSelected(cases, each.name) && each.stores.includes(name));
  if (selected.length === 0) return;
  const scale = scaleFor(asked, name);
  for (const size of scale.sizes[name]) {
    recorder.progress(`${name}, ${size.toLocaleString("en")} rows: filling`);
    const failed = (which: string) => (error: unknown) => told(recorder, { case: which, store: name, size }, error);
    await withStore(name, open, recorder, async (store) => {
      const world = await makeWorld(store, size, scale);
      for (const each of selected) {
        const place = { case: each.name, store: name, size };
        recorder.progress(`${name}, ${size.toLocaleString("en")} rows: ${each.name}`);
        await each.run(world, (figure) => recorder.figure(place, figure)).catch(failed(each.name));
      }
    }).catch((error: unknown) => selected.forEach((each) => failed(each.name)(error)));
  }
}

async function alone({ cases, scale: asked }: Options, recorder: Recorder, name: StoreName, open: Open): Promise<void> {
  const scale = scaleFor(asked, name);
  for (const each of SINGLE) {
    if (!isSelected(cases, each.name) || !each.stores.includes(name)) continue;
    const place = { case: each.name, store: name, size: 0 };
    recorder.progress(`${name}: ${each.name}`);
    await withStore(name, open, recorder, (store) =>
      each.run(store, scale, (figure) => recorder.figure(place, figure)),
    ).catch((error: unknown) => told(recorder, place, error));
  }
}

async function withStore(
  name: StoreName,
  open: Open,
  recorder: Recorder,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await open(name);
  recorder.versions(store.versions);
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

function isSelected(cases: readonly string[], name: string): boolean {
  return cases.length === 0 || cases.includes(name);
}

function told(recorder: Recorder, place: { case: string; store: string; size: number }, error: unknown): void {
  if (error instanceof NotRun) {
    recorder.unmeasured(place, "not run", error.message);
    return;
  }
  recorder.progress(error instanceof Error ? (error.stack ?? error.message) : String(error));
  recorder.unmeasured(place, "failed", reason(error));
}

// The row is committed: the first line, and no path of the machine.
function reason(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return line.replace(/(?:file:\/\/)?\/[\w.-]+\/\S+/g, "a file").slice(0, 160);
}

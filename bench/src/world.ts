import { copyToRaw } from "./fill/raw-tables.js";
import { filledTo, type Person } from "./fill/graph-shape.js";
import { putGraph } from "./fill/graph-sql.js";
import { rememberGraph } from "./fill/graph-front-door.js";
import type { Scale, World } from "./cases/case.js";
import type { Store } from "./stores/store.js";

/** Persons who are there to be erased, one in each round. */
export interface Victims {
  readonly forgetTen: readonly Person[];
  readonly forgetThousand: readonly Person[];
  readonly deleteTen: readonly Person[];
  readonly deleteThousand: readonly Person[];
}

const TENANT = "bench";
const FILLER = 20;

/** Below this, a person of a thousand memories would be most of the store. */
const ROOM_FOR_THOUSANDS = 100_000;

/** Fills an empty store to a size: half memories, half what was derived from them, in six levels. */
export async function makeWorld(store: Store, size: number, scale: Scale): Promise<World> {
  const tens = scale.batches.rounds * 2 + 1;
  const thousands = size >= ROOM_FOR_THOUSANDS ? scale.batches.rounds + 1 : 0;
  const some = (name: string, count: number, memories: number) =>
    Array.from({ length: count }, (_, n) => ({ subjectKey: `${name}:${String(n)}`, memories }));
  const victims: Victims = {
    forgetTen: some("forget-ten", tens, 10),
    forgetThousand: some("forget-thousand", thousands, 1000),
    deleteTen: some("delete-ten", tens, 10),
    deleteThousand: some("delete-thousand", thousands, 1000),
  };
  const persons = filledTo(size, Object.values(victims).flat() as Person[], FILLER);
  const world = { store, tenantKey: TENANT, size, scale, victims };
  if (store.sql === null) {
    await rememberGraph(store.memory, TENANT, persons);
    return { ...world, vocabulary: null };
  }
  const vocabulary = await putGraph(store.sql, store.memory, TENANT, persons);
  await copyToRaw(store.sql);
  return { ...world, vocabulary };
}

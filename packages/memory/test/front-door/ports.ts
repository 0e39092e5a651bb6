import type { MemoryStore } from "../../src/ports/memory-store.js";
import { aFakeStore, type FakeStore } from "./fake-store.js";

export type PortCall = readonly [method: string, ...args: unknown[]];

/** A fake store whose three further ports record every call, and answer as they are told. */
export function aStoreWithPorts(
  answers: Readonly<Record<string, (...args: never[]) => unknown>> = {},
  store: Partial<MemoryStore> = {},
): FakeStore & { readonly asked: readonly PortCall[] } {
  const asked: PortCall[] = [];
  const port = new Proxy(
    {},
    {
      get: (_target, name) =>
        typeof name === "symbol" || (OPTIONAL.has(name) && !(name in answers))
          ? undefined
          : async (...args: never[]): Promise<unknown> => {
              asked.push([name, ...args]);
              return answers[name]?.(...args);
            },
    },
  );
  const ports = { placements: port, restrictions: port, upkeep: port } as Partial<MemoryStore>;
  return Object.assign(aFakeStore({ ...ports, ...store }), { asked });
}

/** What a store may leave out. */
const OPTIONAL: ReadonlySet<string> = new Set(["keysInUse"]);

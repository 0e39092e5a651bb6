import type { Memory } from "@demystify/memory";
import { messageFrom, randomFrom } from "../words.js";
import { MOST, SHARES, STEEP, WINDOW, derivedOf, type Person } from "./graph-shape.js";

const BATCH = 1000;

/** The same graph through the library, for a store that has no other way in. */
export async function rememberGraph(memory: Memory, tenantKey: string, persons: readonly Person[]): Promise<void> {
  const random = randomFrom(5);
  for (const { subjectKey, memories } of persons) {
    let below = await inBatches(memories, async (count) => {
      const inputs = Array.from({ length: count }, () => ({ tenantKey, subjectKey, text: messageFrom(random) }));
      return (await memory.rememberMany(inputs)).map((result) => {
        if ("error" in result) throw result.error;
        return { sourceKind: "memory" as const, sourceId: result.memory.memoryId };
      });
    });
    for (const [place] of SHARES.entries()) {
      const level: readonly Source[] = below;
      const sources = () => {
        const start = Math.floor(random() * level.length);
        const picked = Array.from({ length: 1 + Math.floor(MOST * random() ** STEEP) }, () => {
          return level[(start + Math.floor(random() * WINDOW)) % level.length]!;
        });
        return [...new Set(picked)];
      };
      below = await inBatches(derivedOf(memories, place + 1), async (count) => {
        const kind = `level${"abcdef"[place]!}`;
        const inputs = Array.from({ length: count }, () => ({
          tenantKey,
          kind,
          text: messageFrom(random),
          sources: sources(),
        }));
        return (await memory.deriveMany(inputs)).map((result) => {
          if ("error" in result) throw result.error;
          return { sourceKind: "derived" as const, sourceId: result.derived.derivedId };
        });
      });
    }
  }
}

interface Source {
  readonly sourceKind: "memory" | "derived";
  readonly sourceId: string;
}

async function inBatches(
  count: number,
  make: (count: number) => Promise<readonly Source[]>,
): Promise<readonly Source[]> {
  const made: Source[] = [];
  while (made.length < count) made.push(...(await make(Math.min(BATCH, count - made.length))));
  return made;
}

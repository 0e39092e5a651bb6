import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { InMemoryStore, Memory, type Clock } from "../../src/index.js";
import { aFakeStore } from "./fake-store.js";

const PEPPER = "a secret of at least thirty-two bytes";

describe("a Memory", () => {
  test("works without any option", async () => {
    const memory = new Memory();
    const { memory: row } = await memory.remember({ tenantKey: "acme", subjectKey: "ramesh", text: "likes tea" });

    expect(await memory.getMemory("acme", row.memoryId)).toMatchObject({ text: "likes tea", subjectKey: "ramesh" });
    expect(await memory.forget({ tenantKey: "acme", subjectKey: "ramesh" })).toMatchObject({
      state: "complete",
      counts: { memories: 1 },
    });
    expect(await memory.getMemory("acme", row.memoryId)).toBeNull();
  });

  test("tells the clock to a store that asks for one, and to no other", () => {
    const clock: Clock = { now: () => new Date(0) };
    const told: Clock[] = [];
    const store = { ...aFakeStore(), useClock: (given: Clock) => void told.push(given) };

    new Memory({ store, clock });
    new Memory({ store: aFakeStore(), clock });
    new Memory({ store });

    expect(told).toEqual([clock]);
  });

  test("shows no secret, by JSON or by inspection", () => {
    const memory = new Memory({ store: new InMemoryStore(), subjectHashPepper: PEPPER });

    const shown = JSON.stringify(memory) + inspect(memory, { depth: 10, showHidden: true });
    const erasures = JSON.stringify(memory.erasures) + inspect(memory.erasures, { depth: 10, showHidden: true });

    expect(shown + erasures).not.toContain(PEPPER);
    expect(shown + erasures).not.toContain(
      PEPPER.split("")
        .map((letter) => letter.charCodeAt(0))
        .join(", "),
    );
  });

  test.each<[string, unknown, string]>([
    ["null", null, "options"],
    ["an unknown one", { pepper: PEPPER }, "options"],
    ["a store that is none", { store: {} }, "store"],
    ["a store that is null", { store: null }, "store"],
    ["an embedder that is a function", { embedder: () => [] }, "embedder"],
    ["a redactor that is none", { redactor: { redact: "x" } }, "redactor"],
    ["a clock that is none", { clock: {} }, "clock"],
    ["a short pepper", { subjectHashPepper: "short" }, "subjectHashPepper"],
    ["a switch that is none", { redactMetadata: "yes" }, "redactMetadata"],
    ["another switch that is none", { storeSubjectKeys: 0 }, "storeSubjectKeys"],
    ["an unknown answer to erased texts", { onRematerialise: "ignore" }, "onRematerialise"],
    ["no room for text", { maxTextBytes: 0 }, "maxTextBytes"],
    ["no candidates", { candidatePool: 0 }, "candidatePool"],
    ["a fraction of a row", { destroyChunkRows: 1.5 }, "destroyChunkRows"],
  ])("refuses options with %s", (_case, options, argument) => {
    expect(() => new Memory(options as never)).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_INPUT", argument }),
    );
  });

  test("takes undefined for absent", () => {
    expect(() => new Memory({ store: undefined, embedder: undefined } as never)).not.toThrow();
  });
});

describe("every method", () => {
  const memory = () => {
    const store = aFakeStore();
    return { store, memory: new Memory({ store }) };
  };
  const calls: Readonly<Record<string, (memory: Memory, input: never) => Promise<unknown>>> = {
    remember: (m, input) => m.remember(input),
    rememberMany: (m, input) => m.rememberMany(input),
    derive: (m, input) => m.derive(input),
    deriveMany: (m, input) => m.deriveMany(input),
    recall: (m, input) => m.recall(input),
    forget: (m, input) => m.forget(input),
    previewForget: (m, input) => m.previewForget(input),
    getMemory: (m, input) => m.getMemory(input, "x"),
    getDerived: (m, input) => m.getDerived(input, "x"),
    listMemories: (m, input) => m.listMemories(input),
    listDerived: (m, input) => m.listDerived(input),
    lineage: (m, input) => m.lineage(input),
    erasureHistory: (m, input) => m.erasureHistory(input),
    setEmbeddings: (m, input) => m.setEmbeddings(input),
    reindexTerms: (m, input) => m.reindexTerms(input),
    "erasures.open": (m, input) => m.erasures.open(input),
    "erasures.resume": (m, input) => m.erasures.resume(input),
    "erasures.status": (m, input) => m.erasures.status(input),
    "erasures.list": (m, input) => m.erasures.list(input),
    "erasures.assertAuditable": (m, input) => m.erasures.assertAuditable(input),
  };
  const nonsense = [undefined, null, 1, "\uD800", Symbol("x"), () => 1, { tenantKey: "" }, { tenantKey: "a\0" }];

  test.each(Object.entries(calls))(
    "%s answers nonsense with InvalidInputError, and asks the store nothing",
    async (_name, call) => {
      for (const input of nonsense) {
        const given = memory();
        await expect(call(given.memory, input as never)).rejects.toMatchObject({ code: "ERR_INVALID_INPUT" });
        expect(given.store.calls).toEqual([]);
      }
    },
  );
});

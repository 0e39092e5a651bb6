import { describe, expect, test } from "vitest";
import type { Sink } from "../src/index.js";
import { sinkConformanceCases, SinkConformanceFailure } from "../src/testing/index.js";
import { Shelf, shelfSink } from "./support/shelf.js";

/** The cases that a sink fails, by what they promise. */
async function brokenPromises(faults: (shelf: Shelf) => Partial<Sink>): Promise<readonly string[]> {
  const shelf = new Shelf();
  const cases = sinkConformanceCases({
    createSink: () => shelfSink(shelf, faults(shelf)),
    write: async (_sink, tag, text) => shelf.write(tag, text),
    callTimeoutSeconds: 0.2,
  });
  const broken: string[] = [];
  for (const { name, run } of cases) {
    try {
      await run();
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(SinkConformanceFailure);
      broken.push(name);
    }
  }
  return broken;
}

const GONE = "a copy that was destroyed is gone, and stays so";
const FINISHED = "a worker finishes an erasure in it, at the level it says it reaches";

describe("the conformance kit", () => {
  test("a sink that keeps the contract passes every case", async () => {
    expect(await brokenPromises(() => ({}))).toEqual([]);
  });

  test("a sink that shows nothing, ever, fails before its absence is believed", async () => {
    const broken = await brokenPromises(() => ({
      readBackById: async () => "absent",
      readBackByTag: async () => [],
    }));

    expect(broken).toContain("a copy that is there is shown, under its ref and by its tag");
    expect(broken).toContain(GONE);
    expect(broken).toContain(FINISHED);
  });

  test("a sink that acknowledges and keeps what it has fails", async () => {
    const broken = await brokenPromises(() => ({ destroy: async () => "acknowledged" }));

    expect(broken).toEqual(expect.arrayContaining([GONE, FINISHED]));
  });

  test("a sink that hides what it keeps from the look under its ref fails by its tag", async () => {
    const broken = await brokenPromises((shelf) => {
      const hidden = new Set<string>();
      return {
        destroy: async ({ ref }) => {
          hidden.add(ref);
          return "acknowledged";
        },
        readBackById: async ({ ref }) => (shelf.entries.has(ref) && !hidden.has(ref) ? "present" : "absent"),
      };
    });

    expect(broken).toEqual(expect.arrayContaining([GONE, FINISHED]));
  });

  test("a sink whose reads are behind and that does not say so fails", async () => {
    const broken = await brokenPromises((shelf) => {
      const behind = new Map<string, number>();
      return {
        destroy: async (copy) => {
          if (shelf.entries.has(copy.ref)) behind.set(copy.ref, 3);
          shelf.remove(copy);
          return "acknowledged";
        },
        readBackById: async ({ ref }) => {
          const left = behind.get(ref) ?? 0;
          behind.set(ref, left - 1);
          return shelf.entries.has(ref) || left > 0 ? "present" : "absent";
        },
      };
    });

    expect(broken).toContain(GONE);
  });

  test("the same sink passes once it says how long it takes to settle", async () => {
    const broken = await brokenPromises((shelf) => {
      const goneAt = new Map<string, number>();
      const behind = (ref: string) => Date.now() < (goneAt.get(ref) ?? 0);
      return {
        settleSeconds: 0.03,
        destroy: async (copy) => {
          if (shelf.entries.has(copy.ref)) goneAt.set(copy.ref, Date.now() + 20);
          shelf.remove(copy);
          return "requested";
        },
        readBackById: async ({ ref }) => (shelf.entries.has(ref) || behind(ref) ? "present" : "absent"),
      };
    });

    expect(broken).toEqual([]);
  });

  test("a sink that brings back what it deleted fails", async () => {
    const broken = await brokenPromises((shelf) => {
      const looks = new Map<string, number>();
      return {
        destroy: async (copy) => {
          const kept = shelf.entries.get(copy.ref);
          shelf.remove(copy);
          if (kept !== undefined) looks.set(copy.ref, 0);
          return "acknowledged";
        },
        readBackById: async ({ ref }) => {
          const seen = looks.get(ref);
          if (seen === undefined) return shelf.entries.has(ref) ? "present" : "absent";
          looks.set(ref, seen + 1);
          return seen >= 3 ? "present" : "absent";
        },
      };
    });

    expect(broken).toContain(GONE);
  });

  test("a sink that answers well with a list of errors inside, which nobody reads, fails", async () => {
    const broken = await brokenPromises(() => {
      const deleteMany = async (): Promise<{ status: number; errors: readonly string[] }> => ({
        status: 200,
        errors: ["AccessDenied"],
      });
      return {
        destroy: async () => {
          const { status } = await deleteMany();
          if (status !== 200) throw new Error("refused");
          return "acknowledged";
        },
      };
    });

    expect(broken).toEqual(expect.arrayContaining([GONE, FINISHED]));
  });

  test("a sink that hangs fails, and does not hang the kit", async () => {
    const broken = await brokenPromises(() => ({ destroy: () => new Promise(() => undefined) }));

    expect(broken).toEqual(expect.arrayContaining([GONE, FINISHED]));
  });

  test("a sink that deletes more than it was asked for fails", async () => {
    const broken = await brokenPromises((shelf) => ({
      destroy: async () => {
        shelf.entries.clear();
        return "acknowledged";
      },
    }));

    expect(broken).toContain("destroying one copy leaves every other where it is");
  });

  test("a sink that deletes by ref alone fails on what else is stored under the tag", async () => {
    const broken = await brokenPromises((shelf) => ({
      destroy: async ({ ref }) => {
        shelf.entries.delete(ref);
        return "acknowledged";
      },
    }));

    expect(broken).toEqual(["everything stored under one tag goes with it, whatever its ref"]);
  });

  test("a sink that claims more than it can show fails", async () => {
    const broken = await brokenPromises(() => ({ reaches: "purged" }));

    expect(broken).toEqual(
      expect.arrayContaining(["the proof it says it reaches is one its looks can show", FINISHED]),
    );
  });
});

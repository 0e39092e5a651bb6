import fc from "fast-check";
import { expect, test } from "vitest";
import { comparePositions, RowTable } from "../../src/adapters/in-memory/row-table.js";
import type { StoredMemory } from "../../src/adapters/in-memory/stored-row.js";

const instants = fc.constantFrom("2024-01-01T00:00:00.000Z", "2024-01-02T00:00:00.000Z", "2024-01-03T00:00:00.000Z");

test("rows are walked newest first, whatever the clock did, and however many were removed in between", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(instants, fc.boolean()), { maxLength: 30 }), fc.nat(30), (given, place) => {
      const table = new RowTable<StoredMemory>();
      const rows = given.map(([createdAt], n) => ({ createdAt, id: String(n).padStart(3, "0") }) as StoredMemory);
      for (const row of rows) table.add(row);
      table.remove(rows.filter((_, n) => given[n]?.[1]));

      const left = rows.filter((_, n) => given[n]?.[1] === false).sort((a, b) => comparePositions(b, a));
      expect([...table.newestFirst(null)]).toEqual(left);
      const from = left[place];
      if (from) expect([...table.newestFirst(from)]).toEqual(left.slice(place + 1));
      expect(rows.filter((row) => table.get(row.id) === row)).toHaveLength(left.length);
    }),
    { numRuns: 300, seed: 20240504 },
  );
});

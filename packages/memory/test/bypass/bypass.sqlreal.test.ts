import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { PARTITIONED } from "../support/partitions.js";
import { CORPUS } from "./corpus.js";
import { declareRow } from "./declare-row.js";

test("the corpus has a row for each of the thirty-five ways, and a file for each row", () => {
  const rows = [...Array.from({ length: 15 }, (_, index) => String(index + 1)), "15b"];
  for (let row = 16; row <= 34; row++) rows.push(String(row));
  const files = readdirSync(new URL("rows/", import.meta.url)).map((file) => file.split("-")[0]);

  expect(CORPUS.map(({ row }) => row)).toEqual(rows);
  expect(files.sort()).toEqual(rows.map((row) => row.replace(/^\d+/, (digits) => digits.padStart(2, "0"))).sort());
});

for (const row of CORPUS.filter(({ server }) => server !== "own")) {
  if (!PARTITIONED || row.unpartitioned !== true) declareRow(row);
}

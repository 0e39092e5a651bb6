import { CORPUS } from "./corpus.js";
import { declareRow } from "./declare-row.js";

// Servers are made, copied and started again here, which takes as long as the machine's disk takes.
const PATIENCE_MS = 120_000;

for (const row of CORPUS.filter(({ server }) => server === "own")) declareRow(row, PATIENCE_MS);

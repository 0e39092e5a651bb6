// Speed of redaction on the built package: one text of 5 MB, short messages, and inputs made to be slow.
// Run `npm run build` first, then `node packages/memory/scripts/bench-redact.mjs`.
// Medians of the user time of the whole process, garbage collection included, so that what else runs on the machine
// counts for little. A size and its half are measured in turn, so that it counts for both alike.
import { readFileSync } from "node:fs";
import { defaultRedactor } from "../dist/redaction/index.js";

const MEGABYTE = 1_000_000;
const STRESS_SIZE = 256 * 1024;
const WARM_UP = 3;

const examples = readFileSync(new URL("../test/redaction/examples.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line));
const lines = examples.map(({ text }) => text);
const talk = examples.filter(({ text, spans }) => spans.length === 0 && !/\p{Nd}/u.test(text)).map(({ text }) => text);

const TEXTS = {
  "every line labelled (an identifier or a look-alike in each)": lines,
  "one labelled line in ten": lines.flatMap((line, index) => [...take(talk, index * 9, 9), line]),
  "no digits": talk,
};

/** What each input is the repetition of. */
const STRESS = JSON.parse(readFileSync(new URL("../test/redaction/stress-inputs.json", import.meta.url), "utf8"));

console.log("One text of 5 MB");
console.table(
  Object.entries(TEXTS).map(([text, pieces]) => {
    const input = textOf(pieces, 5 * MEGABYTE);
    const ms = median(7, () => defaultRedactor.redact(input));
    return {
      text,
      "MB/s": round(Buffer.byteLength(input) / MEGABYTE / (ms / 1000)),
      "findings per KB": round(defaultRedactor.redact(input).redactions.length / (input.length / 1000)),
    };
  }),
);

const rounds = 20;
const perRound = median(9, () => {
  for (let pass = 0; pass < rounds; pass++) for (const line of lines) defaultRedactor.redact(line);
});
console.log(
  `One short message (${lines.length} labelled lines): ${round((perRound * 1000) / rounds / lines.length)} µs`,
);

console.log("Inputs made to be slow, 256 KB; growth is the time over that of half the input");
const stress = STRESS.map(([input, piece]) => {
  const [half, ms] = medians(
    15,
    [STRESS_SIZE / 2, STRESS_SIZE].map((size) => {
      const text = piece.repeat(Math.ceil(size / piece.length));
      return () => defaultRedactor.redact(text);
    }),
  );
  return { input, ms: round(ms), growth: ms < 2 ? "" : round(ms / half) };
});
console.table(stress.sort((a, b) => b.ms - a.ms));

function textOf(pieces, bytes) {
  const chosen = [];
  for (let size = 0, index = 0; size < bytes; index++) {
    const piece = pieces[index % pieces.length];
    chosen.push(piece);
    size += Buffer.byteLength(piece) + 1;
  }
  return chosen.join("\n");
}

function take(pieces, from, count) {
  return Array.from({ length: count }, (_, index) => pieces[(from + index) % pieces.length]);
}

function median(runs, work) {
  return medians(runs, [work])[0];
}

/**
 * The median milliseconds of each work, all of them in turn; the first rounds compile and are not counted. Short works
 * are done several times over in a round: some kernels count processor time in ticks of 4 ms.
 */
function medians(runs, works) {
  const times = works.map(() => []);
  const repeats = works.map(() => 1);
  for (let run = -WARM_UP; run < runs; run++) {
    works.forEach((work, index) => {
      const start = process.cpuUsage();
      for (let pass = 0; pass < repeats[index]; pass++) work();
      const ms = process.cpuUsage(start).user / 1000 / repeats[index];
      if (run >= 0) times[index].push(ms);
      else repeats[index] = Math.min(100, Math.max(1, Math.ceil(40 / Math.max(ms, 0.1))));
    });
  }
  return times.map((each) => each.sort((a, b) => a - b)[runs >> 1]);
}

function round(value) {
  return Number(value.toPrecision(3));
}

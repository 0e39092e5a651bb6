// How often recall finds what answers a question: npm run eval:recall -- --data FILE
//
// FILE holds conversations in the form of LoCoMo: [{ conversation: { session_N: [{ speaker, dia_id, text }] },
// qa: [{ question, evidence: [dia_id], category }] }]. A question counts if its category is 1 to 4 and it names
// evidence; it is a hit at k if a turn of the evidence is among the first k rows. The data is not part of this
// repository (LoCoMo is CC BY-NC 4.0: for evaluation only).
//
// There is no model here: "vector" and "hybrid" use the embedder below, which hashes the parts of words. It knows no
// meaning, so that the rows with a real embedder will be better; what they show is that fusion does not harm.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { InMemoryStore, Memory } from "../dist/index.js";

const CUTS = [5, 10, 20];
const DIMENSIONS = 4096;
const STRATEGIES = [
  ["lexical (the default without an embedder)", { strategy: "lexical" }],
  ["bm25", { strategy: "bm25" }],
  ["bm25, stemming english", { strategy: "bm25", stemming: "english" }],
  ["vector (hashed parts of words)", { strategy: "vector" }],
  ["hybrid (the same), stemming english", { strategy: "hybrid", stemming: "english" }],
];

const { values } = parseArgs({ options: { data: { type: "string" } } });
if (values.data === undefined) {
  console.error("Which data? npm run eval:recall -- --data FILE");
  process.exit(2);
}
const conversations = JSON.parse(readFileSync(values.data, "utf8"));

const results = new Map(STRATEGIES.map(([name]) => [name, { asked: 0, hits: CUTS.map(() => 0) }]));
for (const [index, { conversation, qa }] of conversations.entries()) {
  const tenantKey = `conversation-${index}`;
  const turns = turnsOf(conversation);
  const memory = new Memory({ store: new InMemoryStore(), embedder: partsOfWords(turns), candidatePool: 100_000 });
  await remember(memory, tenantKey, turns);
  for (const { question, evidence, category } of qa) {
    if (!(category >= 1 && category <= 4) || !Array.isArray(evidence) || evidence.length === 0) continue;
    const wanted = new Set(evidence.flatMap((each) => String(each).match(/D\d+:\d+/g) ?? []));
    for (const [name, how] of STRATEGIES) {
      const { hits } = await memory.recall({ tenantKey, text: question, limit: Math.max(...CUTS), ...how });
      const place = hits.findIndex(({ row }) => wanted.has(row.metadata.turn));
      const result = results.get(name);
      result.asked += 1;
      for (const [n, cut] of CUTS.entries()) if (place >= 0 && place < cut) result.hits[n] += 1;
    }
  }
}
print();

function turnsOf(conversation) {
  return Object.entries(conversation)
    .filter(([name]) => /^session_\d+$/.test(name))
    .sort(([a], [b]) => Number(a.slice(8)) - Number(b.slice(8)))
    .flatMap(([, session]) => session)
    .map(({ speaker, dia_id: turn, text }) => ({ turn, speaker, text: `${speaker}: ${text}` }));
}

async function remember(memory, tenantKey, turns) {
  const inputs = turns.map(({ turn, speaker, text }) => ({ tenantKey, subjectKey: speaker, text, metadata: { turn } }));
  for (const result of await memory.rememberMany(inputs)) if ("error" in result) throw result.error;
}

function print() {
  console.log(`${[...results.values()][0].asked} questions\n`);
  console.log(`| strategy | ${CUTS.map((cut) => `hit@${cut}`).join(" | ")} |`);
  console.log(`|---|${CUTS.map(() => "---|").join("")}`);
  for (const [name, { asked, hits }] of results) {
    console.log(`| ${name} | ${hits.map((count) => (count / asked).toFixed(3)).join(" | ")} |`);
  }
}

// Words and their three- to five-letter parts, each weighted by how few turns hold it, thrown into so many buckets.
function partsOfWords(turns) {
  const holding = new Map();
  for (const { text } of turns)
    for (const part of new Set(parts(text))) holding.set(part, (holding.get(part) ?? 0) + 1);
  const weight = (part) => Math.log(1 + turns.length / (1 + (holding.get(part) ?? 0)));
  return {
    async embed(texts) {
      return texts.map((text) => {
        const vector = new Float32Array(DIMENSIONS);
        for (const part of new Set(parts(text))) {
          const hash = fnv(part);
          vector[hash % DIMENSIONS] += (hash & 0x10000 ? 1 : -1) * weight(part);
        }
        vector[0] += 1e-6;
        return vector;
      });
    },
  };
}

function* parts(text) {
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const whole = `<${word}>`;
    yield whole;
    for (let length = 3; length <= 5; length++) {
      for (let at = 0; at + length <= whole.length; at++) yield whole.slice(at, at + length);
    }
  }
}

function fnv(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

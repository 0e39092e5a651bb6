// An embedder without a model: each word is hashed to a few of 384 places. The same for all who are measured.
export const DIMENSIONS = 384;

export function embed(text) {
  const vector = new Array(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    let hash = 0x811c9dc5;
    for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193) >>> 0;
    for (let place = 0; place < 4; place++) {
      vector[hash % DIMENSIONS] += hash & 1 ? 1 : -1;
      hash = Math.imul(hash ^ (hash >>> 13), 0x5bd1e995) >>> 0;
    }
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector.fill(1 / Math.sqrt(DIMENSIONS)) : vector.map((value) => value / length);
}

/** As LangChain's embeddings are asked. */
export const embeddings = {
  embedQuery: async (text) => embed(text),
  embedDocuments: async (texts) => texts.map(embed),
};

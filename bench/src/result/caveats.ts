/** What has to be known before a figure is quoted. */
export const CAVEATS: readonly string[] = [
  "Ours and raw SQL are measured in one run through the same driver, in turn, round after round, each round in another order. Figures are medians; the first round warms up and is not counted.",
  "Ratio is our time over that of raw SQL: 1 is as fast, below 1 faster. Compare ratios; milliseconds are those of one machine, and differ by up to two times between runs on a shared one.",
  "Raw SQL keeps no promise of this library: no redaction, no term hashes (it is given them, or hashes words itself where that is said), no gate, no provenance, no evidence, no receipt. It is the floor, not an alternative.",
  "Postgres runs with fsync, full_page_writes and synchronous_commit on, and nearly all data in memory (shared_buffers 2 GB). One connection at a time; no figure says what many clients do to each other.",
  "The data is made up: texts of 25 to 54 words from a vocabulary of 20,000 in which few words are common; six levels of derived rows above each person's memories, half of all rows, with 1 to 50 sources (6.5 on average). Stores are filled by plain SQL with the rules off; nothing measured runs that way.",
  "Size is how many rows the store had when measuring began. What is written while measuring adds to it: a store of 1,000 rows has several thousand at the end.",
  "Vectors have 384 numbers and lie in clusters, which flatters an index; no model was asked. Time of an embedder is in no figure.",
  "A p95 of few rounds is close to the slowest of them. The rounds end early where a measurement takes longer than its share of time, after three at least.",
  "PGlite is Postgres in WebAssembly, in this process, without a disk. In memory there is no raw SQL to compare with.",
  "In the table of peers the column ours is what the store in that row did. All of them got the same texts and an embedder without a model; none recorded where a summary came from, so that one was stored as a text of the team's.",
  "A store is vacuumed and analysed once it is filled, and then left to autovacuum. Server and client share the machine: there is no network in any figure.",
];

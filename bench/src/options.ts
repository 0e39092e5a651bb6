import { fileURLToPath } from "node:url";
import { resolve } from "node:path";
import { CASE_ORDER } from "./result/titles.js";
import type { Scale } from "./cases/case.js";
import type { StoreName } from "./stores/store.js";
import { DEFAULT, FULL, QUICK } from "./scale.js";

export interface Options {
  /** The selected cases; empty for all but the peers. */
  readonly cases: readonly string[];
  readonly stores: readonly StoreName[];
  readonly scale: Scale;
  readonly peers: boolean;
  /** The folder the report is written to, or `null` to print it. */
  readonly out: string | null;
  /** As it was typed. */
  readonly command: string;
}

export const USAGE = `npm run bench -- [case …] [options]

cases    ${CASE_ORDER.filter((name) => name !== "peers").join(", ")}
         (none named: all of them)

options  --quick            tiny: shows that everything runs, the figures say nothing
         --full             up to 1,000,000 rows, and more rounds; takes several times as long
         --sizes=1000,…     these instead, of the cases that grow with the store
         --stores=a,b       of postgres, pglite, memory (all)
         --peers            measures the peers of bench/peers instead; installs them first
         --write            writes docs/benchmarks.json and docs/benchmarks.md instead of printing
         --out=FOLDER       writes there instead (a quick run is never written to docs)
         --help

TEST_POSTGRES_BIN names the folder of the Postgres to start; with pgvector installed there, vectors are measured.`;

const STORES: Readonly<Record<string, StoreName>> = { postgres: "Postgres", pglite: "PGlite", memory: "in memory" };

/** Throws with the usage where an argument is not understood: a mistyped case must not look like a finished run. */
export function readOptions(args: readonly string[]): Options {
  const flags = args.filter((arg) => arg.startsWith("-"));
  const named = args.filter((arg) => !arg.startsWith("-"));
  const value = (name: string) => flags.find((flag) => flag.startsWith(`${name}=`))?.slice(name.length + 1);
  const known = ["--quick", "--full", "--peers", "--write"];
  const odd = [
    ...flags.filter((flag) => !known.includes(flag) && !/^--(?:stores|out|sizes)=./.test(flag)),
    ...named.filter((name) => name === "peers" || !CASE_ORDER.includes(name)),
  ];
  if (odd.length > 0) throw new Error(`not understood: ${odd.join(" ")}\n\n${USAGE}`);
  const stores = (value("--stores") ?? "postgres,pglite,memory").split(",");
  const unknown = stores.filter((store) => STORES[store] === undefined);
  if (unknown.length > 0) throw new Error(`no such store: ${unknown.join(", ")}\n\n${USAGE}`);
  const quick = flags.includes("--quick");
  const out = value("--out");
  if (quick && flags.includes("--write") && out === undefined) {
    throw new Error("the figures of --quick say nothing: write them elsewhere, with --out=FOLDER");
  }
  return {
    cases: named,
    stores: stores.map((store) => STORES[store]!),
    scale: withSizes(quick ? QUICK : flags.includes("--full") ? FULL : DEFAULT, value("--sizes")),
    peers: flags.includes("--peers"),
    out: out !== undefined ? resolve(out) : flags.includes("--write") ? DOCS : null,
    command: ["npm run bench --", ...args.filter((arg) => !arg.startsWith("--out="))].join(" ").replace(/ --$/, ""),
  };
}

const DOCS = fileURLToPath(new URL("../../docs", import.meta.url));

function withSizes(scale: Scale, sizes: string | undefined): Scale {
  if (sizes === undefined) return scale;
  const rows = sizes.split(",").map(Number);
  if (!rows.every((size) => Number.isInteger(size) && size >= 1000)) {
    throw new Error(`no such size (1,000 rows at least): ${sizes}\n\n${USAGE}`);
  }
  return { ...scale, sizes: { Postgres: rows, PGlite: rows, "in memory": rows } };
}

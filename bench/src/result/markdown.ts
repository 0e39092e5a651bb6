import { CAVEATS } from "./caveats.js";
import { CASE_ORDER, titleOf } from "./titles.js";
import type { Report, Run } from "./report.js";
import type { Row, Target } from "./row.js";

/** `docs/benchmarks.md`, from nothing but the report. */
export function markdown(report: Report): string {
  const rows = casesOf(report.rows).flatMap((name) =>
    report.rows.filter((row) => row.case === name).sort(byStoreAndSize),
  );
  const missed = rows.filter(({ met }) => met === false);
  const failed = report.rows.filter(({ state }) => state === "failed");
  return [
    "# Benchmarks",
    "",
    "Made by `npm run bench -- --write` from `benchmarks.json`; do not edit.",
    "",
    `Targets met: ${String(report.rows.filter(({ met }) => met === true).length)}. Not met: ${String(missed.length)}. ` +
      `Failed: ${String(failed.length)}.`,
    "",
    "## How to read it",
    "",
    ...CAVEATS.map((caveat) => `- ${caveat}`),
    "",
    "## The runs",
    "",
    ...table(
      ["run", "command", "day", "versions", "machine"],
      report.runs.map((run) => [String(run.id), code(run.command), run.at, versions(run), run.machine]),
    ),
    ...(missed.length === 0 ? [] : ["## Targets not met", "", ...figures(missed)]),
    ...casesOf(report.rows).flatMap((name) => [
      `## ${titleOf(name)}`,
      "",
      code(`npm run bench -- ${name === "peers" ? "--peers" : name}`),
      "",
      ...figures(rows.filter((row) => row.case === name)),
    ]),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

function figures(rows: readonly Row[]): string[] {
  return table(
    ["work", "store", "size", "ours", "p95", "raw SQL", "ratio", "target", "met", "run"],
    rows.map((row) => [
      row.note === null ? row.work : `${row.work} (${row.note})`,
      row.store,
      row.size.toLocaleString("en"),
      row.state === "measured" ? figure(row.ours, row.unit) : `**${row.state}**`,
      figure(row.p95, ""),
      row.raw === null ? "" : `${figure(row.raw, "")}: ${row.floor ?? ""}`,
      figure(row.ratio, ""),
      row.targets.map((target) => described(target, row)).join("; "),
      row.met === null ? "" : row.met ? "yes" : "**no**",
      String(row.run),
    ]),
  );
}

function described({ of, atMost, atLeast }: Target, { unit }: Row): string {
  const what = of === "ours" ? "" : `${of} `;
  const measure = of === "ratio" ? "" : unit;
  return [
    ...(atMost === undefined ? [] : [`${what}at most ${figure(atMost, measure)}`]),
    ...(atLeast === undefined ? [] : [`${what}at least ${figure(atLeast, measure)}`]),
  ].join(", ");
}

function figure(value: number | null, unit: string): string {
  if (value === null) return "";
  return `${value.toLocaleString("en", { maximumSignificantDigits: 3 })} ${unit}`.trimEnd();
}

const STORES = ["Postgres", "PGlite", "in memory"];

/** Whatever run a row is from. The peers stay in the order they were measured in. */
function byStoreAndSize(a: Row, b: Row): number {
  return STORES.indexOf(a.store) - STORES.indexOf(b.store) || (STORES.includes(a.store) ? a.size - b.size : 0);
}

function casesOf(rows: readonly Row[]): readonly string[] {
  const place = (name: string) => (CASE_ORDER.includes(name) ? CASE_ORDER.indexOf(name) : CASE_ORDER.length);
  return [...new Set(rows.map((row) => row.case))].sort((a, b) => place(a) - place(b));
}

function versions(run: Run): string {
  return Object.entries(run.versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...lines.map(line), ""];
}

function code(text: string): string {
  return `\`${text}\``;
}

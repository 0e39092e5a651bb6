import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { markdown } from "./markdown.js";
import { EMPTY, type Report } from "./report.js";

export function readReport(folder: string): Report {
  const file = join(folder, "benchmarks.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Report) : EMPTY;
}

/** Both files of the report. Each appears whole, so that an interrupted run leaves the rows it had finished. */
export function writeReport(folder: string, report: Report): void {
  mkdirSync(folder, { recursive: true });
  replace(join(folder, "benchmarks.json"), `${JSON.stringify(report, null, 2)}\n`);
  replace(join(folder, "benchmarks.md"), markdown(report));
}

function replace(file: string, text: string): void {
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}

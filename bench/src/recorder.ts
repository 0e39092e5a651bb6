import { markdown } from "./result/markdown.js";
import { merged, nextRun, type Report, type Run } from "./result/report.js";
import { readReport, writeReport } from "./result/files.js";
import { machineClass } from "./result/machine.js";
import { measured, unmeasured, type Figure, type Place, type Row } from "./result/row.js";
import { EMPTY } from "./result/report.js";
import type { Options } from "./options.js";

/**
 * Takes every row as it is measured, tells it on the standard error, and writes the report after each: what follows may
 * fail without taking it along.
 */
export class Recorder {
  readonly #options: Options;
  readonly #before: Report;
  readonly #run: number;
  readonly #at = new Date().toISOString().slice(0, 10);
  readonly #begun = performance.now();
  readonly #rows: Row[] = [];
  #versions: Record<string, string> = { Node: process.versions.node };

  constructor(options: Options) {
    this.#options = options;
    this.#before = options.out === null ? EMPTY : readReport(options.out);
    this.#run = nextRun(this.#before);
  }

  get failed(): boolean {
    return this.#rows.some(({ state }) => state === "failed");
  }

  versions(versions: Readonly<Record<string, string>>): void {
    this.#versions = { ...this.#versions, ...versions };
  }

  figure(place: Omit<Place, "run">, figure: Figure): void {
    this.#add(measured({ ...place, run: this.#run }, figure));
  }

  unmeasured(place: Omit<Place, "run">, state: "failed" | "not run", why: string): void {
    this.#add(unmeasured({ ...place, run: this.#run }, state, why));
  }

  /** What is going on, for whoever waits. */
  progress(text: string): void {
    const seconds = Math.floor((performance.now() - this.#begun) / 1000);
    const clock = `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, "0")}`;
    process.stderr.write(`${clock} ${text}\n`);
  }

  end(): void {
    if (this.#options.out === null) process.stdout.write(markdown(this.#report()));
  }

  #add(row: Row): void {
    this.#rows.push(row);
    const ratio = row.ratio === null ? "" : `, ${String(row.ratio)} times raw SQL`;
    const told =
      row.state === "measured" ? `${String(row.ours)} ${row.unit}${ratio}` : `${row.state}: ${String(row.note)}`;
    this.progress(`  ${row.store} ${row.size.toLocaleString("en")}: ${row.work}: ${told}`);
    if (this.#options.out !== null) writeReport(this.#options.out, this.#report());
  }

  #report(): Report {
    const { command } = this.#options;
    const run: Run = { id: this.#run, command, at: this.#at, versions: this.#versions, machine: machineClass() };
    return merged(this.#before, run, this.#rows);
  }
}

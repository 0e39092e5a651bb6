import Table from "cli-table3";
import type { Colors } from "../terminal/console.js";
import { wrap } from "./wrap.js";

/** Where text goes, and how wide it may be. */
export interface Paper {
  readonly write: (text: string) => void;
  readonly colors: Colors;
  readonly width: number;
}

/** Plain text for people, colours only on a terminal. */
export class Sheet {
  readonly #paper: Paper;

  constructor(paper: Paper) {
    this.#paper = paper;
  }

  get colors(): Colors {
    return this.#paper.colors;
  }

  line(text = ""): void {
    this.#paper.write(`${text}\n`);
  }

  heading(text: string): void {
    this.line(this.#paper.colors.bold(text));
  }

  /** A paragraph. */
  text(text: string, indent = ""): void {
    this.line(wrap(text, { width: this.#paper.width, lead: indent, indent }));
  }

  /** A paragraph in the background. */
  aside(text: string, indent = "  "): void {
    this.line(this.#paper.colors.dim(wrap(text, { width: this.#paper.width, lead: indent, indent })));
  }

  /** `name   value`, values below each other. */
  fact(name: string, value: string, column = 14): void {
    this.line(wrap(value, { width: this.#paper.width, lead: name.padEnd(column), indent: " ".repeat(column) }));
  }

  table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
    const table = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
    for (const row of rows) table.push([...row]);
    this.line(table.toString());
  }
}

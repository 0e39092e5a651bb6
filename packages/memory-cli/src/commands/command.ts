import type { Command } from "commander";
import type { ExitCode } from "../cli-error.js";
import type { Output } from "../render/output.js";
import type { Console } from "../terminal/console.js";
import type { Interrupt } from "../terminal/interrupt.js";
import type { Progress } from "../terminal/progress.js";

/** The groups of the help text, in order. */
export const GROUPS = {
  install: "Install",
  erase: "Erase",
  follow: "Follow an erasure",
  prove: "Prove",
  guard: "Guard",
  operate: "Operate",
} as const;

/** One command: what it takes, and what it does with it. */
export interface CommandDefinition<Options = unknown> {
  readonly name: string;
  readonly group: keyof typeof GROUPS;
  readonly summary: string;
  /** Adds arguments, options and help. */
  readonly declare: (command: Command) => void;
  readonly run: (invocation: Invocation<Options>) => Promise<ExitCode>;
}

/** One use of a command. */
export interface Invocation<Options = unknown> {
  readonly options: Options;
  readonly args: readonly string[];
  readonly console: Console;
  readonly interrupt: Interrupt;
  readonly progress: Progress;
  readonly out: Output;
  /** Where an option's value came from: the command line, the environment, or a default. */
  readonly sourceOf: (option: string) => string | undefined;
}

/** Keeps the types of a command's options within its file. */
export function defineCommand<Options>(definition: CommandDefinition<Options>): CommandDefinition {
  return definition as CommandDefinition;
}

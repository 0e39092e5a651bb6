import type { Command, Option } from "commander";

/** A command as a shell completes it. */
export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** What the first argument may be, where that is a closed list. */
  readonly choices: readonly string[];
}

export interface CompletedOption {
  readonly flag: string;
  readonly summary: string;
  readonly value: "none" | "word" | "path";
  readonly choices: readonly string[];
}

/** The commands of a program. Completion suggests names and codes only: never a tenant, an id or a person. */
export function completionTree(program: Command): readonly CompletedCommand[] {
  return program.commands.map((command) => ({
    name: command.name(),
    summary: command.description(),
    options: [...command.options.map(describe), HELP],
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }));
}

const HELP: CompletedOption = { flag: "--help", summary: "display help", value: "none", choices: [] };

function describe(option: Option): CompletedOption {
  const takesValue = option.required || option.optional;
  const path = /<(?:file|folder)>/.test(option.flags);
  return {
    flag: option.long ?? option.flags,
    summary: option.description,
    value: takesValue ? (path ? "path" : "word") : "none",
    choices: option.argChoices ?? [],
  };
}

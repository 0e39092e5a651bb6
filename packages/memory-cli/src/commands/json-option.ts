import type { Command } from "commander";

/** Adds `--json`, whose documents are part of the contract: see `Output`. */
export function declareJson(command: Command): Command {
  return command.option("--json", "print one JSON document instead of text");
}

export function declareStrict(command: Command): Command {
  return command.option("--strict", "exit with 3 where there are warnings");
}

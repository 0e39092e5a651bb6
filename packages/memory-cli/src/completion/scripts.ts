import { bashScript } from "./bash.js";
import { fishScript } from "./fish.js";
import type { CompletedCommand } from "./tree.js";
import { zshScript } from "./zsh.js";

export type Shell = "bash" | "zsh" | "fish";

export const COMPLETIONS: Readonly<Record<Shell, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

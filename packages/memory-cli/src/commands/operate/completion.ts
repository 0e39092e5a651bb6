import { Argument, type Command } from "commander";
import { EXIT } from "../../cli-error.js";
import { COMPLETIONS, type Shell } from "../../completion/scripts.js";
import { completionTree } from "../../completion/tree.js";
import { defineCommand } from "../command.js";

let program: Command | null = null;

/** `demystify-memory completion`: a script for the shell, made from the commands themselves. */
export const completion = defineCommand({
  name: "completion",
  group: "operate",
  summary: "print a completion script for bash, zsh or fish",
  declare: (command) => {
    program = command.parent;
    command.addArgument(new Argument("<shell>", "which shell").choices(["bash", "zsh", "fish"])).addHelpText(
      "after",
      `
bash: source <(demystify-memory completion bash)
zsh:  demystify-memory completion zsh > "\${fpath[1]}/_demystify-memory"
fish: demystify-memory completion fish > ~/.config/fish/completions/demystify-memory.fish`,
    );
  },
  run: async ({ args, out }) => {
    const tree = program === null ? [] : completionTree(program);
    out.write(COMPLETIONS[(args[0] ?? "bash") as Shell](tree));
    return EXIT.done;
  },
});

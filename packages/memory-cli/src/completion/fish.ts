import type { CompletedCommand, CompletedOption } from "./tree.js";

/** For fish. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = ["# fish completion for demystify-memory", "complete -c demystify-memory -f"];
  for (const { name, summary, options, choices } of commands) {
    const seen = `-n '__fish_seen_subcommand_from ${name}'`;
    lines.push(`complete -c demystify-memory -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`);
    if (choices.length > 0) lines.push(`complete -c demystify-memory ${seen} -a ${quote(choices.join(" "))}`);
    for (const option of options) lines.push(`complete -c demystify-memory ${seen} ${optionLine(option)}`);
  }
  return `${lines.join("\n")}\n`;
}

function optionLine({ flag, summary, value, choices }: CompletedOption): string {
  const takes =
    choices.length > 0
      ? ` -x -a ${quote(choices.join(" "))}`
      : value === "path"
        ? " -r -F"
        : value === "word"
          ? " -x"
          : "";
  return `-l ${flag.replace(/^--/, "")}${takes} -d ${quote(summary)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

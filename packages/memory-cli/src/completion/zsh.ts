import type { CompletedCommand, CompletedOption } from "./tree.js";

/** For zsh: a function for \`fpath\`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef demystify-memory
_demystify_memory() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(
${commands.map(({ name, summary }) => `      ${quote(`${name}:${summary}`)}`).join("\n")}
    )
    _describe 'command' commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${commands.map(commandCase).join("\n")}
  esac
}
_demystify_memory "$@"
`;
}

function commandCase({ name, options, choices }: CompletedCommand): string {
  const specs = [...options.map(optionSpec), ...(choices.length > 0 ? [quote(`1:value:(${choices.join(" ")})`)] : [])];
  return `    ${name})\n      _arguments -s \\\n        ${specs.join(" \\\n        ")}\n      ;;`;
}

function optionSpec({ flag, summary, value, choices }: CompletedOption): string {
  const text = summary.replace(/[[\]:\\]/g, " ");
  const action = choices.length > 0 ? `(${choices.join(" ")})` : value === "path" ? "_files" : " ";
  return quote(`${flag}[${text}]${value === "none" ? "" : `:value:${action}`}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

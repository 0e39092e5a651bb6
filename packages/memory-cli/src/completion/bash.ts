import type { CompletedCommand } from "./tree.js";

/** For bash 4 and later; needs no bash-completion package. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  return `# bash completion for demystify-memory
_demystify_memory() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$current"))
    return
  fi
  case "$command $previous" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "$command" in
${commands.map(wordCase).join("\n")}
  esac
}
complete -F _demystify_memory demystify-memory
`;
}

function valueCases({ name, options }: CompletedCommand): readonly string[] {
  return options.flatMap(({ flag, value, choices }) => {
    if (value === "none") return [];
    const reply =
      choices.length > 0
        ? `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$current"))`
        : value === "path"
          ? `COMPREPLY=($(compgen -f -- "$current"))`
          : ":";
    return [`    "${name} ${flag}") ${reply}; return ;;`];
  });
}

function wordCase({ name, options, choices }: CompletedCommand): string {
  const words = [...choices, ...options.map(({ flag }) => flag)].join(" ");
  return `    ${name}) COMPREPLY=($(compgen -W "${words}" -- "$current")) ;;`;
}

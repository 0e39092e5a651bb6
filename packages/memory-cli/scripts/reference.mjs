// docs/reference/cli.md and the table of commands in README.md are made from the commands themselves.
//   node packages/memory-cli/scripts/reference.mjs     writes both; a test compares them with what it would write
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const REFERENCE = new URL("../../../docs/reference/cli.md", import.meta.url);
const README = new URL("../README.md", import.meta.url);

/** The reference, from a commander program. */
export function reference(program) {
  const out = [
    "# The command line",
    "",
    "Made from the commands by `node packages/memory-cli/scripts/reference.mjs`; do not edit.",
    "",
    "```",
    helpOf(program),
    "```",
    "",
  ];
  for (const command of program.commands) {
    out.push(`## ${command.name()}`, "", "```", helpOf(command), "```", "");
  }
  return `${out.join("\n").trimEnd()}\n`;
}

/** The README with its table of commands. */
export function readmeWithCommands(readme, program) {
  const rows = program.commands.map((command) => `| \`${usageOf(command)}\` | ${command.description()} |`);
  const table = ["| command | what it does |", "| --- | --- |", ...rows].join("\n");
  return readme.replace(
    /<!-- commands -->[\s\S]*?<!-- \/commands -->/,
    () => `<!-- commands -->\n\n${table}\n\n<!-- /commands -->`,
  );
}

function usageOf(command) {
  return [command.name(), ...command.registeredArguments.map((argument) => `<${argument.name()}>`)].join(" ");
}

function helpOf(command) {
  let text = "";
  const configured = command.configureOutput();
  command.configureOutput({ ...configured, writeOut: (part) => (text += part) });
  command.outputHelp();
  command.configureOutput(configured);
  return text.trimEnd();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { buildProgram } = await import("../dist/program.js");
  const program = buildProgram({ ...process, env: {} }, { command: "", exitCode: 0 });
  writeFileSync(REFERENCE, reference(program));
  writeFileSync(README, readmeWithCommands(readFileSync(README, "utf8"), program));
}

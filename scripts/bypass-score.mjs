// The score of the bypass corpus, read from its rows. Each is a call `bypass({ … }, …)` whose first argument holds
// literals only; the test of the row fails if what it observes is not what these say.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const VERDICTS = [
  ["closed", "closed: the database refuses it, or erases and records as ever"],
  ["detected", "detected: by `verify_install()`, by a sweep, or named on every receipt"],
  ["needs export", "needs export: detected against a list of tombstones exported before"],
  ["open", "open"],
];

/** The facts of every row, in the order of their files. */
export function corpus(folder) {
  return readdirSync(folder)
    .sort()
    .map((file) => factsOf(file, readFileSync(join(folder, file), "utf8")));
}

export function bypassScore(rows) {
  const lines = VERDICTS.map(([verdict, what]) => {
    const which = rows.filter(({ must }) => must === verdict).map(({ row }) => row);
    return `| ${what} | ${String(which.length)} | ${which.join(", ")} |`;
  });
  return ["| what becomes of it | ways | rows |", "| --- | --- | --- |", ...lines].join("\n");
}

/** The whole table. */
export function bypassReference(rows) {
  const lines = rows.map(
    ({ row, attempt, as, must, by, file }) =>
      `| [${row}](../../packages/memory/test/bypass/rows/${file}) | ${cell(attempt)} | ${as.join(", ")} | ${must} | ${by.map((code) => `\`${code}\``).join(", ")} |`,
  );
  return [
    "# Ways round the rules",
    "",
    `Made from \`packages/memory/test/bypass/rows/\` by \`npm run docs\`; do not edit. ${String(rows.length)} ways to destroy without evidence, to keep`,
    "what was erased, or to write it back, each tried on a native Postgres by every role that may try it. *By* is what",
    "answered: a SQLSTATE, a [check](checks.md) of `verify_install()`, a finding of `reconcile`, or a code of `notCovered`.",
    "Where several roles or several forms were tried, the verdict is the weakest of what was seen.",
    "",
    bypassScore(rows),
    "",
    "*Needs export* is not weaker by accident: whoever may change every byte of a database can make it say anything about",
    "itself. Keep what `erasures.exportTombstones` writes somewhere else, and pass it to `reconcile({ against })`.",
    "",
    "| row | attempt | as | verdict | by |",
    "| --- | --- | --- | --- | --- |",
    ...lines,
    "",
  ].join("\n");
}

function factsOf(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const calls = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.getText() === "bypass") calls.push(node);
    node.forEachChild(visit);
  };
  visit(tree);
  if (calls.length !== 1) throw new Error(`${file}: expected one call of bypass(), found ${String(calls.length)}`);
  const facts = Object.fromEntries(
    calls[0].arguments[0].properties.map((property) => [property.name.getText(), literal(file, property.initializer)]),
  );
  return { ...facts, file };
}

function literal(file, node) {
  if (ts.isStringLiteral(node)) return node.text;
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (ts.isArrayLiteralExpression(node)) return node.elements.map((element) => literal(file, element));
  throw new Error(`${file}: the facts of a row are literals, and this is not: ${node.getText()}`);
}

function cell(text) {
  return text.replaceAll("|", "\\|");
}

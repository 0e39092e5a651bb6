// What a migration says it installs, read from its own text, so that verify_install() can compare it with what is there.
// The pins are rows of SQL values; `{{pins routines}}` in a source stands for those of the routines, and so on.
import { createHash } from "node:crypto";

const SCHEMA = "demystify_memory";
// Its body holds the pins, so it cannot hold a pin of itself. Whoever doubts it compares it with the package's own text.
const UNPINNED_BODY = "verify_install";

const KEYWORDS = /\b(?:and|or|not|is|null|any|array|foreign|key|references)\b/g;

/** The pins of a migration's text, by kind: each is the rows of one `values` list. */
export function schemaPins(sql) {
  const tables = tablesOf(sql);
  return {
    routines: routinesOf(sql).map(values),
    columns: tables.flatMap(({ name, lines }) => columnsOf(name, lines)).map(values),
    constraints: tables.flatMap(({ name, body }) => constraintsOf(name, body)).map(values),
    indexes: indexesOf(sql).map(values),
  };
}

function routinesOf(sql) {
  const granted = [
    ...(/function demystify_memory\.grant_to\b[\s\S]*?\nend\n/.exec(sql)?.[0] ?? "").matchAll(/'(\w+)'/g),
  ];
  const names = new Set(granted.map(([, name]) => name));
  const found = sql.matchAll(
    new RegExp(
      `create or replace (function|procedure) ${SCHEMA}\\.(\\w+)(\\([\\s\\S]*?)\\nas \\$(\\w*)\\$([\\s\\S]*?)\\$\\4\\$`,
      "g",
    ),
  );
  const routines = [...found].map(([, kind, name, header, , body]) => {
    const options = header.slice(header.search(/\blanguage \w+/));
    if (/security definer(?!.* {2}-- \w)/.test(options))
      throw new Error(`${name}: says no reason for security definer`);
    const settings = [...options.matchAll(/^set (\w+) = (.+)$/gm)].map(([, key, value]) =>
      value === "''" ? `${key}=""` : `${key}=${value}`,
    );
    return [
      name,
      kind === "function" ? "f" : "p",
      /\blanguage (\w+)/.exec(options)[1],
      /\bimmutable\b/.test(options) ? "i" : /\bstable\b/.test(options) ? "s" : "v",
      /\bsecurity definer\b/.test(options),
      `{${settings.map((setting) => JSON.stringify(setting)).join(",")}}`,
      name === UNPINNED_BODY ? null : createHash("md5").update(body).digest("hex"),
      names.has(name),
    ];
  });
  const declared = sql.match(new RegExp(`create or replace (?:function|procedure) ${SCHEMA}\\.`, "g")) ?? [];
  if (routines.length !== declared.length)
    throw new Error("a routine is written in a way that schema-pins.mjs cannot read");
  return routines;
}

function tablesOf(sql) {
  const found = [
    ...sql.matchAll(new RegExp(`create table if not exists ${SCHEMA}\\.(\\w+) \\(\\n([\\s\\S]*?)\\n\\);`, "g")),
  ];
  if (found.length !== (sql.match(/^create table /gm) ?? []).length) {
    throw new Error("a table is written in a way that schema-pins.mjs cannot read");
  }
  return found.map(([, name, body]) => ({
    name,
    body: body
      .split("\n")
      .map((line) => line.split("--")[0])
      .join("\n"),
    lines: body.split("\n").filter((line) => /^ {2}\w/.test(line) && !/^ {2}(?:constraint|primary key)\b/.test(line)),
  }));
}

function columnsOf(table, lines) {
  return lines.map((line) => {
    const [name] = line.trim().split(/\s/, 1);
    const rest = line.trim().slice(name.length).trim();
    const end = rest.search(/\b(?:not null|default|generated|primary key)\b|,$/);
    const type = (end < 0 ? rest : rest.slice(0, end)).trim();
    return [table, name, type, /\bnot null\b/.test(rest), /\bgenerated always\b/.test(rest)];
  });
}

function constraintsOf(table, body) {
  return [...body.matchAll(/\bconstraint (\w+)\s+(check|foreign key)\s*\(/g)].map(
    ({ 0: head, 1: name, 2: kind, index }) => {
      const start = index + head.length - 1;
      const end = kind === "check" ? closingParenthesis(body, start) : body.indexOf("\n", start);
      const text = body.slice(start, end < 0 ? body.length : end).replace(/,$/, "");
      return [table, name, kind === "check" ? "c" : "f", plain(kind === "check" ? text : `foreign key ${text}`)];
    },
  );
}

function closingParenthesis(text, start) {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "'") quoted = !quoted;
    if (quoted) continue;
    if (text[at] === "(") depth += 1;
    if (text[at] === ")" && --depth === 0) return at + 1;
  }
  throw new Error("a constraint without an end");
}

// As Postgres writes it back, without parentheses and white space: the check strips them on its side too.
function plain(condition) {
  return condition
    .replace(/ in \(([^)]*)\)/g, " = any array[$1]")
    .replace(/[\s()]+/g, " ")
    .split("'")
    .map((part, index) => (index % 2 === 1 ? part : part.replace(KEYWORDS, (word) => word.toUpperCase())))
    .join("'")
    .replaceAll(" ", "");
}

function indexesOf(sql) {
  const found = sql.matchAll(
    new RegExp(`create (unique )?index if not exists (\\w+)\\s+on ${SCHEMA}\\.(\\w+)(?:\\s+using (\\w+))?`, "g"),
  );
  return [...found].map(([, unique, name, table, method]) => [table, name, method ?? "btree", unique !== undefined]);
}

function values(row) {
  const cells = row.map((cell) =>
    typeof cell === "string" ? `'${cell.replaceAll("'", "''")}'` : cell === null ? "null" : String(cell),
  );
  return `(${cells.join(", ")})`;
}

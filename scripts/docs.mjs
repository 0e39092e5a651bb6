// Keeps the documents in step with the code: regions of examples/ are copied to where a document asks for them, and
// docs/reference/sql.md is made from the comments of the migrated schema, docs/reference/checks.md from the checks of
// verify_install(), and docs/reference/bypasses.md from the bypass corpus, whose score a document may ask for too.
//   <!-- region: examples/quickstart.ts#quickstart --> … <!-- /region -->
//   <!-- bypass score --> … <!-- /bypass score -->
// `--check` writes nothing and fails if a document is not what it should be.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { bypassReference, bypassScore, corpus } from "./bypass-score.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const check = process.argv.includes("--check");

const rows = corpus(join(root, "packages/memory/test/bypass/rows"));
const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "SECURITY.md",
  ...markdownIn("docs"),
  ...markdownIn("packages/memory"),
];
const wanted = new Map(
  documents.filter((file) => existsSync(join(root, file))).map((file) => [file, withRegions(file)]),
);
const [sql, checks] = await schemaReferences();
wanted.set("docs/reference/sql.md", sql);
wanted.set("docs/reference/checks.md", checks);
wanted.set("docs/reference/bypasses.md", bypassReference(rows));

const stale = [...wanted].filter(([file, content]) => {
  const path = join(root, file);
  return !existsSync(path) || readFileSync(path, "utf8") !== content;
});
for (const [file, content] of stale) {
  if (check) console.error(`${file} is not current: run npm run docs`);
  else writeFileSync(join(root, file), content);
}
process.exitCode = check && stale.length > 0 ? 1 : 0;

function markdownIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md") && !file.includes("node_modules"))
    .map((file) => join(folder, file));
}

function withRegions(file) {
  const text = readFileSync(join(root, file), "utf8");
  const scored = text.replace(
    /<!-- bypass score -->[\s\S]*?<!-- \/bypass score -->/,
    () => `<!-- bypass score -->\n\n${bypassScore(rows)}\n\n<!-- /bypass score -->`,
  );
  return scored.replace(
    /<!-- region: ([^\s#]+)#([^\s#]+) -->[\s\S]*?<!-- \/region -->/g,
    (_, source, name) =>
      `<!-- region: ${source}#${name} -->\n\n\`\`\`ts\n${region(source, name)}\n\`\`\`\n\n<!-- /region -->`,
  );
}

function region(source, name) {
  const lines = readFileSync(join(root, source), "utf8").split("\n");
  const start = lines.findIndex((line) => line.trim() === `// #region ${name}`);
  const end = lines.findIndex((line, index) => index > start && line.trim() === "// #endregion");
  if (start < 0 || end < 0) throw new Error(`${source} has no region ${name}`);
  const body = lines.slice(start + 1, end);
  const indent = Math.min(...body.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)));
  return body.map((line) => line.slice(indent)).join("\n");
}

async function schemaReferences() {
  const db = new PGlite();
  for (const file of readdirSync(join(root, "packages/memory/migrations")).sort()) {
    await db.exec(readFileSync(join(root, "packages/memory/migrations", file), "utf8"));
  }
  const answers = async (sql) => (await db.query(sql)).rows;
  const relations = await answers(`
    select c.oid, c.relname as name, c.relkind as kind, obj_description(c.oid, 'pg_class') as comment
      from pg_class c where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'v') order by c.relkind, c.relname`);
  const columns = await answers(`
    select a.attrelid as oid, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
           col_description(a.attrelid, a.attnum) as comment
      from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
     order by a.attrelid, a.attnum`);
  const routines = await answers(`
    select p.proname as name, pg_get_function_identity_arguments(p.oid) as arguments, p.prokind as kind,
           obj_description(p.oid, 'pg_proc') as comment
      from pg_proc p where p.pronamespace = 'demystify_memory'::regnamespace order by p.proname`);
  const checks = await answers(
    "select check_name, severity, detail, remediation from demystify_memory.verify_install() order by check_name",
  );
  await db.close();

  const cell = (text) => (text ?? "").replaceAll("|", "\\|");
  const out = [
    "# The SQL schema",
    "",
    "Made from the comments of the migrated schema by `npm run docs`; do not edit. Every table is under forced row-level",
    "security and belongs to the engine role. Applications call the functions that `grantsSql()` gives them.",
    "",
  ];
  for (const [kind, title] of [
    ["r", "Tables"],
    ["v", "Views"],
  ]) {
    out.push(`## ${title}`, "");
    for (const relation of relations.filter((r) => r.kind === kind)) {
      out.push(`### ${relation.name}`, "", relation.comment ?? "", "");
      const own = columns.filter((c) => c.oid === relation.oid);
      if (own.length === 0) continue;
      out.push("| column | type | null | what |", "| --- | --- | --- | --- |");
      for (const column of own) {
        out.push(`| ${column.name} | ${column.type} | ${column.required ? "" : "yes"} | ${cell(column.comment)} |`);
      }
      out.push("");
    }
  }
  out.push("## Routines", "", "| routine | what |", "| --- | --- |");
  for (const routine of routines) {
    out.push(`| \`${routine.name}(${cell(routine.arguments)})\` | ${cell(routine.comment)} |`);
  }
  out.push("", "The checks of `verify_install()` are in [checks.md](checks.md).");
  return [`${out.join("\n").trimEnd()}\n`, checksReference(checks)];
}

/** One section a check, so that its name is an anchor. The reason is the comment that the check's own file begins with. */
function checksReference(checks) {
  const out = [
    "# The checks of verify_install()",
    "",
    "Made from `packages/memory/sql/checks/` by `npm run docs`; do not edit. Each is one file, and each is tested by breaking",
    `what it checks. There are ${String(checks.length)}; every one is ok on any healthy installation.`,
    "",
  ];
  for (const { check_name: name, severity, detail, remediation } of checks) {
    const source = readFileSync(join(root, "packages/memory/sql/checks", `${name}.sql`), "utf8").split("\n");
    const reason = source.slice(
      0,
      source.findIndex((line) => !line.startsWith("--")),
    );
    out.push(`## ${name}`, "", reason.map((line) => line.replace(/^-- ?/, "")).join("\n"), "");
    out.push(`- ok (${severity} if not): ${detail}`, `- if not: ${remediation}`, "");
  }
  return `${out.join("\n").trimEnd()}\n`;
}

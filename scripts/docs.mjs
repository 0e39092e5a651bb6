// Keeps the documents in step with the code: regions of examples/ are copied to where a document asks for them, and
// docs/reference/sql.md is made from the comments of the migrated schema.
//   <!-- region: examples/quickstart.ts#quickstart --> … <!-- /region -->
// `--check` writes nothing and fails if a document is not what it should be.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const check = process.argv.includes("--check");

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
wanted.set("docs/reference/sql.md", await sqlReference());

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
  return readFileSync(join(root, file), "utf8").replace(
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

async function sqlReference() {
  const db = new PGlite();
  for (const file of readdirSync(join(root, "packages/memory/migrations")).sort()) {
    await db.exec(readFileSync(join(root, "packages/memory/migrations", file), "utf8"));
  }
  const rows = async (sql) => (await db.query(sql)).rows;
  const relations = await rows(`
    select c.oid, c.relname as name, c.relkind as kind, obj_description(c.oid, 'pg_class') as comment
      from pg_class c where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'v') order by c.relkind, c.relname`);
  const columns = await rows(`
    select a.attrelid as oid, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
           col_description(a.attrelid, a.attnum) as comment
      from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
     order by a.attrelid, a.attnum`);
  const routines = await rows(`
    select p.proname as name, pg_get_function_identity_arguments(p.oid) as arguments, p.prokind as kind,
           obj_description(p.oid, 'pg_proc') as comment
      from pg_proc p where p.pronamespace = 'demystify_memory'::regnamespace order by p.proname`);
  const checks = await rows(
    "select check_name, detail, remediation from demystify_memory.verify_install() order by check_name",
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
  out.push("", "## Checks of verify_install()", "");
  for (const { check_name: name, detail, remediation } of checks) {
    out.push(`### ${name}`, "", `Ok: ${detail}.`, "", `If not: ${remediation}`, "");
  }
  return `${out.join("\n").trimEnd()}\n`;
}

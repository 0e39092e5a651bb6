import { createRequire } from "node:module";
import { EXIT } from "../../cli-error.js";
import {
  declareDatabase,
  namesDatabase,
  withDatabase,
  type DatabaseOptions,
} from "../../connection/database-options.js";
import { allMigrations } from "../../install/emit-files.js";
import { installedVersion } from "../../install/installed-version.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";

interface Manifest {
  readonly version: string;
}

/** `demystify-memory version`: of the packages, and of the schema where a database is named. */
export const version = defineCommand<DatabaseOptions>({
  name: "version",
  group: "install",
  summary: "print the versions of the packages, and of the schema where a database is named",
  declare: (command) => void declareJson(declareDatabase(command)),
  run: async (invocation) => {
    const require = createRequire(import.meta.url);
    const packages = {
      "@demystify/memory-cli": (require("../../../package.json") as Manifest).version,
      "@demystify/memory": (require("@demystify/memory/package.json") as Manifest).version,
      node: process.versions.node,
    };
    const known = (await allMigrations()).length;
    const installed = namesDatabase(invocation)
      ? await withDatabase(invocation, async (database) => {
          const { rows } = await database.queryable.query<{ server_version: string }>("show server_version");
          const postgres = rows[0]?.server_version.split(" ")[0] ?? "unknown";
          return { label: database.label, postgres, version: await installedVersion(database.queryable) };
        })
      : null;
    return invocation.out.answer(EXIT.done, { packages, schema: { known, installed } }, (sheet) => {
      for (const [name, value] of Object.entries(packages)) sheet.fact(name, value, 24);
      sheet.fact("schema", `${known} (known to these packages)`, 24);
      if (installed === null) return;
      sheet.fact("installed", installedInWords(installed.version), 24);
      sheet.fact("database", `PostgreSQL ${installed.postgres} at ${installed.label}`, 24);
    });
  },
});

function installedInWords(version: number | null): string {
  if (version === null) return "yes, but this role may not ask which version";
  return version === 0 ? "not installed" : String(version);
}

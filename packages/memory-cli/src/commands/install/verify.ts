import { verifyInstall, type InstallCheck } from "@demystify/memory";
import { EXIT, type ExitCode } from "../../cli-error.js";
import { declareDatabase, withDatabase, type DatabaseOptions } from "../../connection/database-options.js";
import { checkVerifier } from "../../doctor/verifier.js";
import { defineCommand } from "../command.js";
import { declareJson, declareStrict } from "../json-option.js";

interface VerifyOptions extends DatabaseOptions {
  readonly strict?: true;
}

/** `demystify-memory verify`: whether the rules that the promises stand on still stand in the database. */
export const verify = defineCommand<VerifyOptions>({
  name: "verify",
  group: "install",
  summary: "check that every rule of the schema stands, as verify_install() in SQL does, and that function itself",
  declare: (command) => void declareStrict(declareJson(declareDatabase(command))),
  run: (invocation) =>
    withDatabase(invocation, async (database) => {
      const { queryable } = database;
      const checks = [...(await verifyInstall(queryable)), await checkVerifier(queryable)];
      const broken = checks.filter(({ ok }) => !ok);
      const exit = exitOf(broken, invocation.options.strict === true);
      return invocation.out.answer(exit, { database: database.label, checks }, (sheet) => {
        const { green, red } = sheet.colors;
        for (const { checkName, ok, detail, remediation } of checks) {
          sheet.line(`${ok ? green("✓") : red("✗")} ${checkName}`);
          if (ok) continue;
          sheet.aside(`Not so: ${detail}`);
          sheet.text(remediation, "  ");
        }
        sheet.line();
        sheet.line(
          broken.length === 0
            ? green(`All ${checks.length} checks are ok.`)
            : red(`${broken.length} of ${checks.length} checks are not ok.`),
        );
        if (broken.length > 0) {
          sheet.text("To run the migration again, as the role that installed: demystify-memory migrate --again");
        }
      });
    }),
});

function exitOf(broken: readonly InstallCheck[], strict: boolean): ExitCode {
  if (broken.some(({ severity }) => severity !== "warning")) return EXIT.failed;
  return strict && broken.length > 0 ? EXIT.warnings : EXIT.done;
}

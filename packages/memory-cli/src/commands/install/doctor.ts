import { Memory, PgMemoryStore } from "@demystify/memory";
import { EXIT, type ExitCode } from "../../cli-error.js";
import { databaseUrl, openDatabase } from "../../connection/database-options.js";
import { declareMemory, namedTenant, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { readPepper } from "../../connection/pepper.js";
import type { Database } from "../../database/database.js";
import { checkExposure } from "../../doctor/exposure.js";
import { skipped, type Finding } from "../../doctor/finding.js";
import { checkGrants } from "../../doctor/grants.js";
import { checkPooler } from "../../doctor/pooler.js";
import { checkRole, embeddedRole } from "../../doctor/role.js";
import { checkOpenErasures, checkPepper, checkRules, checkSecrets } from "../../doctor/state.js";
import { checkVersions } from "../../doctor/versions.js";
import type { Sheet } from "../../render/sheet.js";
import { readDuration } from "../../text/duration.js";
import { defineCommand, type Invocation } from "../command.js";
import { declareJson, declareStrict } from "../json-option.js";

interface DoctorOptions extends MemoryCommandOptions {
  readonly strict?: true;
  readonly openFor: string;
}

/** `demystify-memory doctor`: whether this connection, as this role, is one to run the product on. */
export const doctor = defineCommand<DoctorOptions>({
  name: "doctor",
  group: "install",
  summary: "check the role, the grants, poolers, exposure and versions; connect as the application does",
  declare: (command) =>
    void declareStrict(declareJson(declareMemory(command)))
      .option("--open-for <duration>", "an erasure open for longer than this is a finding", "72h")
      .addHelpText(
        "after",
        "\nConnect with the URL the application uses: what a superuser may do says nothing. --tenant adds what is open there.",
      ),
  run: async (invocation) => {
    const limit = {
      milliseconds: readDuration(invocation.options.openFor, "--open-for"),
      text: invocation.options.openFor,
    };
    const database = await openDatabase(invocation);
    try {
      const findings = await examine(invocation, database, limit);
      return invocation.out.answer(
        exitOf(findings, invocation.options.strict === true),
        { database: database.label, findings },
        (sheet) => tell(sheet, findings),
      );
    } finally {
      await database.close();
    }
  },
});

async function examine(
  invocation: Invocation<DoctorOptions>,
  database: Database,
  limit: { readonly milliseconds: number; readonly text: string },
): Promise<readonly Finding[]> {
  const db = database.queryable;
  const findings: Finding[] = [...(await checkVersions(db))];
  findings.push(await checkPooler(database, databaseUrl(invocation)));
  findings.push(...(database.kind === "embedded" ? [embeddedRole()] : await checkRole(db)));
  const installed = !findings.some(
    ({ check, detail }) => check === "schema_version" && detail.includes("not installed"),
  );
  if (!installed) {
    return [
      ...findings,
      skipped("grants", "nothing is installed here", "Run demystify-memory migrate, then doctor again."),
    ];
  }
  findings.push(...(await checkGrants(db)), ...(await checkExposure(db)), await checkRules(db));
  return [...findings, ...(await examineTenant(invocation, database, limit))];
}

async function examineTenant(
  invocation: Invocation<DoctorOptions>,
  { queryable }: Database,
  limit: { readonly milliseconds: number; readonly text: string },
): Promise<readonly Finding[]> {
  const tenantKey = namedTenant(invocation);
  if (tenantKey === null) {
    return [
      skipped("open_erasures", "no tenant was named", "Give --tenant to have its open erasures and keys checked."),
    ];
  }
  const pepper = readPepper(invocation);
  const store = new PgMemoryStore(queryable, { tenantScope: invocation.options.tenantScope ?? "per-call" });
  const memory = new Memory({ store, ...(pepper === null ? {} : { subjectHashPepper: pepper }) });
  return [
    await checkOpenErasures(memory, tenantKey, limit),
    await checkPepper(queryable, tenantKey, pepper),
    await checkSecrets(memory, tenantKey),
  ];
}

function exitOf(findings: readonly Finding[], strict: boolean): ExitCode {
  if (findings.some(({ level }) => level === "error")) return EXIT.failed;
  return strict && findings.some(({ level }) => level !== "ok") ? EXIT.warnings : EXIT.done;
}

function tell(sheet: Sheet, findings: readonly Finding[]): void {
  const { green, red, yellow, dim } = sheet.colors;
  const marks = { ok: green("✓"), warning: yellow("!"), error: red("✗"), skipped: dim("?") };
  for (const { check, level, detail, remedy } of findings) {
    sheet.line(`${marks[level]} ${check}: ${detail}`);
    if (remedy !== "") sheet.aside(remedy, "    ");
  }
  const count = (level: Finding["level"]) => findings.filter((each) => each.level === level).length;
  sheet.line();
  sheet.line(
    `${count("ok")} ok, ${count("warning")} warnings, ${count("error")} errors, ${count("skipped")} not looked at.`,
  );
}

import { EXIT, UsageError, type ExitCode } from "../../cli-error.js";
import { declareDatabase, withDatabase, type DatabaseOptions } from "../../connection/database-options.js";
import { declareTenant, namedTenant } from "../../connection/memory-options.js";
import { scanDatabase, type TableScan } from "../../scan/scan-database.js";
import { askForLine, canAsk } from "../../terminal/ask.js";
import { readStandardInput } from "../../terminal/standard-input.js";
import type { Sheet } from "../../render/sheet.js";
import { amount } from "../../render/words.js";
import { defineCommand, type Invocation } from "../command.js";
import { declareJson } from "../json-option.js";

interface ScanOptions extends DatabaseOptions {
  readonly tenant?: string;
  readonly schema?: readonly string[];
  readonly allSchemas?: true;
}

const MIN_CHARACTERS = 4;
const MAX_BYTES = 65_536;

/** `demystify-memory scan`: looks for a literal in every column of every table. */
export const scan = defineCommand<ScanOptions>({
  name: "scan",
  group: "guard",
  summary: "look for a literal, read from standard input, in every column of every table; exit 5 if it is there",
  declare: (command) =>
    void declareJson(declareTenant(declareDatabase(command)))
      .option("--schema <name...>", "which schemas (default: demystify_memory)")
      .option("--all-schemas", "every schema of the database but the system's own")
      .addHelpText(
        "after",
        `
The literal never goes to the server, where a statement log would keep it: every row is read and searched here, without
regard to upper and lower case. Row-level security counts: a superuser sees every tenant, another role only --tenant.`,
      ),
  run: async (invocation) => {
    const { options, interrupt, progress, out } = invocation;
    if (options.allSchemas === true && options.schema !== undefined) {
      throw new UsageError("--schema and --all-schemas are both given", "Give one of the two.");
    }
    const literal = await readLiteral(invocation);
    interrupt.help = "Nothing was changed; a scan only reads.";
    return withDatabase(invocation, async (database) => {
      const schemas = options.allSchemas === true ? null : (options.schema ?? ["demystify_memory"]);
      progress.note("Reading every table …");
      const tenant = namedTenant(invocation);
      const scope = { schemas, oneTenant: tenant !== null };
      const result = await database.snapshot(tenant ?? "", (session) =>
        scanDatabase(session, scope, literal, () => interrupt.check()),
      );
      if (result.tables === 0) {
        throw new UsageError("there is no table to read", "Check --schema; migrate installs demystify_memory.");
      }
      return out.answer(exitOf(result), result, (sheet) => tell(sheet, result));
    });
  },
});

async function readLiteral({ console, interrupt }: Invocation): Promise<string> {
  const literal = canAsk(console)
    ? await askForLine(console, interrupt, "What to look for?")
    : await readStandardInput(console, interrupt, {
        what: "a literal",
        maxBytes: MAX_BYTES,
        example: "printf %s '9876543210' | demystify-memory scan",
      });
  if (literal.length >= MIN_CHARACTERS) return literal;
  throw new UsageError(
    `the literal is shorter than ${MIN_CHARACTERS} characters, and would be found by chance`,
    "Look for something longer.",
  );
}

function exitOf({ found, unreadable, hiddenByPolicy }: TableScan): ExitCode {
  if (found.length > 0) return EXIT.residue;
  return unreadable.length > 0 || hiddenByPolicy.length > 0 ? EXIT.failed : EXIT.done;
}

function tell(sheet: Sheet, { tables, columns, rows, found, unreadable, hiddenByPolicy }: TableScan): void {
  const { green, red, yellow } = sheet.colors;
  sheet.line(`Read ${amount(rows, "row")} of ${amount(tables, "table")}, ${amount(columns, "column")}.`);
  if (found.length > 0) {
    sheet.line(red("Found:"));
    sheet.table(
      ["where", "rows"],
      found.map(({ place, rows: hits }) => [place, hits]),
    );
  }
  if (unreadable.length > 0) {
    sheet.text(
      yellow(`Not read, because this role may not: ${unreadable.join(", ")}. Connect as a role that may read them.`),
    );
  }
  if (hiddenByPolicy.length > 0) {
    sheet.text(
      yellow(
        `Row-level security may hide rows of other tenants from this role in: ${hiddenByPolicy.join(", ")}. Give --tenant, or connect as a superuser to see them all.`,
      ),
    );
  }
  if (found.length === 0 && unreadable.length + hiddenByPolicy.length === 0) sheet.line(green("Not found."));
}

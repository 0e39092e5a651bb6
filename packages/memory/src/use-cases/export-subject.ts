import type { ExportedRow } from "../domain/access.js";
import { readBoolean, readFields } from "../domain/input/fields.js";
import { readKey } from "../domain/input/strings.js";
import { storeSubject, type MemoryContext } from "./context.js";
import { underEveryKey } from "./under-every-key.js";

/** Whose rows to export (GDPR Art. 15 and 20, DPDP Act 2023 s. 11). */
export interface ExportSubjectInput {
  readonly tenantKey: string;
  readonly subjectKey: string;
  /** `true` also shows the content of rows that concern others. Default: `false`. */
  readonly includeShared?: boolean;
}

const PAGE_ROWS = 500;

/** Checks the input at once, and reads nothing before the first row is asked for. */
export function exportSubject(context: MemoryContext, input: ExportSubjectInput): AsyncIterable<ExportedRow> {
  const fields = readFields(input, ["tenantKey", "subjectKey", "includeShared"]);
  return exportRows(
    context,
    readKey(fields.tenantKey, "tenantKey"),
    readKey(fields.subjectKey, "subjectKey"),
    readBoolean(fields.includeShared, "includeShared", false),
  );
}

async function* exportRows(
  context: MemoryContext,
  tenantKey: string,
  subjectKey: string,
  includeShared: boolean,
): AsyncGenerator<ExportedRow, void, undefined> {
  let after: string | null = null;
  do {
    const page: { readonly rows: readonly ExportedRow[]; readonly next: string | null } = await underEveryKey(
      context,
      tenantKey,
      (keyed) =>
        keyed.store.upkeep.exportPage(
          tenantKey,
          { scope: "subject", subject: storeSubject(keyed, tenantKey, subjectKey) },
          { includeShared, limit: PAGE_ROWS, after },
        ),
    );
    yield* page.rows;
    after = page.next;
  } while (after !== null);
}

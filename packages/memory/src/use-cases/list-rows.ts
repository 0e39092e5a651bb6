import { readFields } from "../domain/input/fields.js";
import { readInteger, readLimit } from "../domain/input/numbers.js";
import { readRowFilter, ROW_FILTER_NAMES, type RowFilterInput } from "../domain/input/row-filter.js";
import { MAX_DIMENSIONS } from "../domain/input/embedding.js";
import { readKey, readOptionalKey } from "../domain/input/strings.js";
import type { RowFilter } from "../domain/row-filter.js";
import type { DerivedRow, MemoryRow, Page } from "../domain/rows.js";
import { InvalidInputError } from "../errors.js";
import type { ListQuery } from "../ports/memory-store.js";
import { subjectHashes, type MemoryContext } from "./context.js";
import { underEveryKey } from "./under-every-key.js";

/** Which rows `listMemories` and `listDerived` show. */
export interface ListRowsInput extends RowFilterInput {
  readonly tenantKey: string;
  /** Only what is filed under this person; derived rows if any of their memories is. */
  readonly subjectKey?: string;
  /** `false`: rows without a vector. `{ dimensionsNot }`: rows without one, or with one of another length. */
  readonly embedded?: false | { readonly dimensionsNot: number };
  /** 1 to 1,000. Default: 100. */
  readonly limit?: number;
  /** As the page before returned it. */
  readonly cursor?: string;
}

const FIELD_NAMES = [
  "tenantKey",
  "subjectKey",
  "embedded",
  "limit",
  "cursor",
  ...ROW_FILTER_NAMES,
] as const satisfies readonly (keyof ListRowsInput)[];

export async function listMemories(context: MemoryContext, input: ListRowsInput): Promise<Page<MemoryRow>> {
  const { tenantKey, subjectKey, query } = readList(context, input);
  return underEveryKey(context, tenantKey, (keyed) =>
    keyed.store.listMemories(tenantKey, { ...query, subject: subjectHashes(keyed, tenantKey, subjectKey) }),
  );
}

export async function listDerived(context: MemoryContext, input: ListRowsInput): Promise<Page<DerivedRow>> {
  const { tenantKey, subjectKey, query } = readList(context, input);
  return underEveryKey(context, tenantKey, (keyed) =>
    keyed.store.listDerived(tenantKey, { ...query, subject: subjectHashes(keyed, tenantKey, subjectKey) }),
  );
}

/** A cursor as a former page returned it; the store checks what it says. */
export function readCursor(value: unknown): string | null {
  return readOptionalKey(value, "cursor");
}

interface ParsedList {
  readonly tenantKey: string;
  readonly subjectKey: string | null;
  readonly query: Omit<ListQuery, "subject">;
}

function readList({ maxTextBytes }: MemoryContext, input: ListRowsInput): ParsedList {
  const fields = readFields(input, FIELD_NAMES);
  return {
    tenantKey: readKey(fields.tenantKey, "tenantKey"),
    subjectKey: readOptionalKey(fields.subjectKey, "subjectKey"),
    query: {
      missingVector: readEmbedded(fields.embedded),
      limit: readLimit(fields.limit, "limit", 100),
      cursor: readCursor(fields.cursor),
      ...given(readRowFilter(fields, maxTextBytes)),
    },
  };
}

// A store is told of what was asked for alone.
function given(filter: RowFilter): RowFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, part]) => part !== null));
}

function readEmbedded(value: unknown): ListQuery["missingVector"] {
  if (value === undefined) return null;
  if (value === false) return false;
  if (typeof value !== "object") throw new InvalidInputError("embedded", "must be false or { dimensionsNot }");
  const fields = readFields(value, ["dimensionsNot"], "embedded");
  return {
    dimensionsNot: readInteger(fields.dimensionsNot, "embedded.dimensionsNot", { min: 1, max: MAX_DIMENSIONS }),
  };
}

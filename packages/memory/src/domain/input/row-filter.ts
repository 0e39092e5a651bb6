import { InvalidInputError } from "../../errors.js";
import type { MetadataCondition, MetadataConditions, Period, RowFilter } from "../row-filter.js";
import type { JsonValue, Metadata } from "../rows.js";
import { readCode } from "./codes.js";
import { at, readArray, readFields } from "./fields.js";
import { readOptionalInstant } from "./instant.js";
import { readMetadata, readOptionalMetadata } from "./metadata.js";

/** A stretch of time as a caller names it: `from` inclusive, `to` exclusive, either may be left out. */
export interface PeriodInput {
  readonly from?: Date | string;
  readonly to?: Date | string;
}

/** What `recall` and the lists can be narrowed down to, besides a person. */
export interface RowFilterInput {
  readonly kinds?: readonly string[];
  /** Only rows whose metadata contains these top-level values. */
  readonly metadata?: Metadata;
  /** Only rows whose top-level metadata values meet these conditions, by key. */
  readonly where?: MetadataConditions;
  /** Only rows stored in this time. */
  readonly createdAt?: PeriodInput;
  /** Only memories captured in this time; rows that do not say when they were are left out. */
  readonly capturedAt?: PeriodInput;
}

export const ROW_FILTER_NAMES = ["kinds", "metadata", "where", "createdAt", "capturedAt"] as const;

const MAX_KINDS = 100;
const MAX_CONDITIONS = 20;
const MAX_VALUES = 100;
const CONDITION_NAMES = [
  "exists",
  "in",
  "gt",
  "gte",
  "lt",
  "lte",
] as const satisfies readonly (keyof MetadataCondition)[];
const RANGE_NAMES = ["gt", "gte", "lt", "lte"] as const;

/** The parts that were given; a store is not told of the others. */
export function readRowFilter(
  fields: Readonly<Record<(typeof ROW_FILTER_NAMES)[number], unknown>>,
  maxBytes: number,
): RowFilter & { readonly kinds: readonly string[] | null; readonly metadata: Metadata | null } {
  const where = fields.where === undefined ? null : readConditions(fields.where, "where", maxBytes);
  const createdAt = readPeriod(fields.createdAt, "createdAt");
  const capturedAt = readPeriod(fields.capturedAt, "capturedAt");
  return {
    kinds: readKinds(fields.kinds),
    metadata: readOptionalMetadata(fields.metadata, "metadata", maxBytes),
    ...(where === null ? {} : { where }),
    ...(createdAt === null ? {} : { createdAt }),
    ...(capturedAt === null ? {} : { capturedAt }),
  };
}

function readKinds(value: unknown): readonly string[] | null {
  if (value === undefined) return null;
  return readArray(value, "kinds", { min: 1, max: MAX_KINDS }).map((kind, index) => readCode(kind, at("kinds", index)));
}

function readPeriod(value: unknown, path: string): Period | null {
  if (value === undefined) return null;
  const fields = readFields(value, ["from", "to"], path);
  const period = {
    from: readOptionalInstant(fields.from, at(path, "from")),
    to: readOptionalInstant(fields.to, at(path, "to")),
  };
  if (period.from === null && period.to === null) throw new InvalidInputError(path, "must have a from or a to");
  if (period.from !== null && period.to !== null && period.from >= period.to) {
    throw new InvalidInputError(path, "must have its from before its to");
  }
  return period;
}

// Errors name no key of the metadata: keys are content.
function readConditions(value: unknown, path: string, maxBytes: number): MetadataConditions {
  const entries = Object.entries(readMetadata(value, path, maxBytes));
  if (entries.length === 0) throw new InvalidInputError(path, "must hold a condition");
  if (entries.length > MAX_CONDITIONS) throw new InvalidInputError(path, `must hold at most ${MAX_CONDITIONS} keys`);
  return Object.fromEntries(entries.map(([key, condition]) => [key, readCondition(condition, at(path, "*"))]));
}

function readCondition(value: JsonValue, path: string): MetadataCondition {
  const fields = readFields(value, CONDITION_NAMES, path);
  const given = Object.entries(fields).filter(([, condition]) => condition !== undefined);
  if (given.length === 0) throw new InvalidInputError(path, `must have one of ${CONDITION_NAMES.join(", ")}`);
  if (fields.exists !== undefined && typeof fields.exists !== "boolean") {
    throw new InvalidInputError(at(path, "exists"), "must be true or false");
  }
  if (fields.in !== undefined) checkValues(fields.in, at(path, "in"));
  for (const name of RANGE_NAMES) {
    const bound = fields[name];
    if (bound !== undefined && typeof bound !== "number" && typeof bound !== "string") {
      throw new InvalidInputError(at(path, name), "must be a number or a string");
    }
  }
  return Object.fromEntries(given);
}

function checkValues(value: unknown, path: string): void {
  for (const [index, element] of readArray(value, path, { min: 1, max: MAX_VALUES }).entries()) {
    if (typeof element === "object" && element !== null) {
      throw new InvalidInputError(at(path, index), "must be a string, a number, true, false or null");
    }
  }
}

import { InvalidInputError } from "../../errors.js";
import { ERASURE_ORIGINS, ERASURE_REASONS } from "../codes.js";
import type { TombstoneRecord } from "../reconciliation.js";
import { readCode, readOneOf } from "./codes.js";
import { at, readArray, readFields } from "./fields.js";
import { readId } from "./ids.js";
import { readInstant } from "./instant.js";
import { readKey } from "./strings.js";

const FIELD_NAMES = [
  "v",
  "tombstoneId",
  "tenantKey",
  "scope",
  "subjectHash",
  "subjectKeyId",
  "origin",
  "reason",
  "legalBasis",
  "openedAt",
  "memoryIds",
  "derivedIds",
  "placementIds",
] as const satisfies readonly (keyof TombstoneRecord)[];

const HASH = /^[0-9a-f]{64}$/;
const KEY_ID = /^[a-z][a-z0-9_.:-]{0,63}$/;
const ANY_NUMBER = { min: 0, max: Number.MAX_SAFE_INTEGER };

/**
 * One exported tombstone, as a line of JSON or as the object it says. Every field is checked: a log that was cut off or
 * edited must not erase something else.
 *
 * @throws InvalidInputError also where the record is another tenant's
 */
export function readTombstoneRecord(value: unknown, path: string, tenantKey: string): TombstoneRecord {
  const fields = readFields(typeof value === "string" ? parseLine(value, path) : value, FIELD_NAMES, path);
  if (fields.v !== 1) throw new InvalidInputError(at(path, "v"), "must be 1, the version this package writes");
  if (readKey(fields.tenantKey, at(path, "tenantKey")) !== tenantKey) {
    throw new InvalidInputError(at(path, "tenantKey"), "is another tenant's");
  }
  const scope = readOneOf(fields.scope, at(path, "scope"), ["subject", "memories", "derived"]);
  const subjectHash = readHash(fields.subjectHash, at(path, "subjectHash"));
  if (scope === "subject" && subjectHash === null) {
    throw new InvalidInputError(at(path, "subjectHash"), "is required for the scope of a person");
  }
  return {
    v: 1,
    tombstoneId: readId(fields.tombstoneId, at(path, "tombstoneId")),
    tenantKey,
    scope,
    subjectHash,
    subjectKeyId: readKeyId(fields.subjectKeyId, at(path, "subjectKeyId")),
    origin: readOneOf(fields.origin, at(path, "origin"), ERASURE_ORIGINS),
    reason: readOneOf(fields.reason, at(path, "reason"), ERASURE_REASONS),
    legalBasis: readCode(fields.legalBasis, at(path, "legalBasis")),
    openedAt: readPreciseInstant(fields.openedAt, at(path, "openedAt")),
    memoryIds: readIds(fields.memoryIds, at(path, "memoryIds")),
    derivedIds: readIds(fields.derivedIds, at(path, "derivedIds")),
    placementIds: readIds(fields.placementIds, at(path, "placementIds")),
  };
}

function parseLine(line: string, path: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new InvalidInputError(path, "must be a line of JSON as exportTombstones() writes it");
  }
}

function readHash(value: unknown, path: string): string | null {
  if (value === null) return null;
  if (typeof value === "string" && HASH.test(value)) return value;
  throw new InvalidInputError(path, "must be 64 lower-case hexadecimal digits, or null");
}

function readKeyId(value: unknown, path: string): string | null {
  if (value === null) return null;
  if (typeof value === "string" && KEY_ID.test(value)) return value;
  throw new InvalidInputError(path, "must be the id of a key, or null");
}

// Kept as it stands: microseconds decide whether a row was stored before the erasure or after it.
function readPreciseInstant(value: unknown, path: string): string {
  readInstant(value, path);
  return String(value);
}

function readIds(value: unknown, path: string): readonly string[] {
  return readArray(value, path, ANY_NUMBER).map((id, index) => readId(id, at(path, index)));
}

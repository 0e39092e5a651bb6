import { InvalidInputError } from "../../errors.js";
import type { JsonValue, Metadata } from "../rows.js";
import { exceedsUtf8 } from "../utf8.js";
import { storageProblem } from "./strings.js";

/** How deeply metadata may nest. A cycle is deeper than any limit. */
export const MAX_METADATA_DEPTH = 64;

/**
 * A copy of a plain JSON object. Anything that JSON would drop or change (undefined, functions, NaN, Date, class
 * instances, holes) is refused, because what is stored must be what was given. Errors name no key: keys are content.
 */
export function readMetadata(value: unknown, path: string, maxBytes: number): Metadata {
  const copy = copyOf(value, path, maxBytes);
  if (exceedsUtf8(JSON.stringify(copy), maxBytes)) {
    throw new InvalidInputError(path, `must be at most ${maxBytes} bytes of JSON`);
  }
  return copy;
}

/** As `readMetadata`; `null` where the field is absent. */
export function readOptionalMetadata(value: unknown, path: string, maxBytes: number): Metadata | null {
  return value === undefined ? null : readMetadata(value, path, maxBytes);
}

function copyOf(value: unknown, path: string, maxBytes: number): Metadata {
  try {
    if (!isPlainObject(value)) throw new InvalidInputError(path, "must be a plain JSON object");
    return copyObject(value, { path, left: maxBytes }, 1);
  } catch (error) {
    // Anything else comes from a getter or a proxy of the caller's, and may quote what it hides.
    throw error instanceof InvalidInputError ? error : new InvalidInputError(path, "could not be read");
  }
}

// Each value takes a byte of JSON at least, so the byte limit also bounds the walk: a few shared arrays can nest
// into more values than there is memory.
interface Budget {
  readonly path: string;
  left: number;
}

function copyValue(value: unknown, budget: Budget, depth: number): JsonValue {
  if (budget.left-- <= 0) throw new InvalidInputError(budget.path, "holds too many values");
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return checkString(value, budget.path);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new InvalidInputError(budget.path, "must hold finite numbers only");
    return value === 0 ? 0 : value;
  }
  if (Array.isArray(value)) return copyArray(value, budget, depth + 1);
  if (isPlainObject(value)) return copyObject(value, budget, depth + 1);
  throw new InvalidInputError(budget.path, "must hold JSON values only");
}

function copyArray(value: readonly unknown[], budget: Budget, depth: number): readonly JsonValue[] {
  checkDepth(budget.path, depth);
  if (value.length > budget.left) throw new InvalidInputError(budget.path, "holds too many values");
  const copy: JsonValue[] = [];
  for (let i = 0; i < value.length; i++) copy.push(copyValue(value[i], budget, depth));
  return copy;
}

function copyObject(value: object, budget: Budget, depth: number): Metadata {
  checkDepth(budget.path, depth);
  if (Object.getOwnPropertySymbols(value).length > 0) {
    throw new InvalidInputError(budget.path, "must hold JSON values only");
  }
  // fromEntries defines an own `__proto__` where assignment would set the prototype.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [checkString(key, budget.path), copyValue(inner, budget, depth)]),
  );
}

function checkString(text: string, path: string): string {
  const problem = storageProblem(text);
  if (problem !== null) throw new InvalidInputError(path, problem);
  return text;
}

function checkDepth(path: string, depth: number): void {
  if (depth > MAX_METADATA_DEPTH) {
    throw new InvalidInputError(path, `must not nest deeper than ${MAX_METADATA_DEPTH} levels`);
  }
}

// An object of another realm counts: its prototype is an Object.prototype too, the root of its chain.
function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

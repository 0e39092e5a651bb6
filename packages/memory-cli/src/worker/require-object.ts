import { UsageError } from "../cli-error.js";

/** @throws {UsageError} for anything but a plain object; `where` says what it is part of. */
export function requireObject(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new UsageError(`${where} is not an object`, "See docs/guides/cli.md, “The worker”.");
}

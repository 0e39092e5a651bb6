import type { Command } from "commander";
import type { Pepper } from "@demystify/memory";
import { UsageError } from "../cli-error.js";
import type { Invocation } from "../commands/command.js";
import { readSecretFile } from "./secret-file.js";

export interface PepperOptions {
  readonly pepperFile?: string;
}

const SHAPE = `Give 32 bytes or more of text, or for rotation a list such as [{"id":"k2","secret":"…"},{"id":"k1","secret":"…"}].`;

/** Adds where the hashing secret comes from. It is never an argument, where the list of processes would show it. */
export function declarePepper(command: Command): Command {
  return command.option(
    "--pepper-file <file>",
    "the secret that keys the hashes of persons (or DEMYSTIFY_MEMORY_PEPPER in the environment)",
  );
}

/**
 * The pepper of the file, else of the environment; `null` if there is none, and then hashes can be guessed.
 *
 * @throws {UsageError} without anything of the secret
 */
export function readPepper({ options, console, progress }: Invocation<PepperOptions>): Pepper | null {
  const file = options.pepperFile;
  const given =
    file === undefined
      ? (console.env["DEMYSTIFY_MEMORY_PEPPER"] ?? "")
      : readSecretFile(file, "--pepper-file", progress);
  if (given === "") return null;
  const source = file === undefined ? "DEMYSTIFY_MEMORY_PEPPER" : file;
  return given.trimStart().startsWith("[") ? readList(given, source) : readSecret(given, source);
}

/** The ids of the keys, first the one new rows are written with. */
export function keyIdsOf(pepper: Pepper): readonly string[] {
  return typeof pepper === "string" || pepper instanceof Uint8Array ? ["default"] : pepper.map(({ id }) => id);
}

function readList(given: string, source: string): Pepper {
  let keys: unknown;
  try {
    keys = JSON.parse(given);
  } catch {
    throw new UsageError(`${source} begins like a JSON list, and is not one`, SHAPE);
  }
  const isKey = (value: unknown): value is { id: string; secret: string } => {
    const { id, secret } = (value ?? {}) as Record<string, unknown>;
    return typeof id === "string" && typeof secret === "string";
  };
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isKey)) {
    throw new UsageError(`${source} is not a list of { id, secret }`, SHAPE);
  }
  return keys.map(({ id, secret }) => ({ id, secret: readSecret(secret, source) }));
}

function readSecret(secret: string, source: string): string {
  if (Buffer.byteLength(secret) >= 32) return secret;
  throw new UsageError(`the secret of ${source} is shorter than 32 bytes`, SHAPE);
}

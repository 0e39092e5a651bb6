import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Sink, WorkerOptions } from "@demystify/memory-worker";
import { UsageError } from "../cli-error.js";
import { requireObject } from "./require-object.js";
import { openSinks, type OpenedSinks } from "./sinks.js";

/** How the worker works, without what the command line gives. */
export type WorkerTuning = Pick<
  WorkerOptions,
  | "owner"
  | "by"
  | "leaseSeconds"
  | "callTimeoutSeconds"
  | "maxAttempts"
  | "backoff"
  | "resumeAfterSeconds"
  | "recheckAfterSeconds"
  | "pollSeconds"
  | "sweepEverySeconds"
  | "purge"
  | "positiveControl"
>;

/** A configuration that was read, its sinks connected. */
export interface WorkerConfig extends OpenedSinks {
  readonly tenants: readonly string[];
  readonly tuning: WorkerTuning;
}

const TUNING: readonly (keyof WorkerTuning)[] = [
  "owner",
  "by",
  "leaseSeconds",
  "callTimeoutSeconds",
  "maxAttempts",
  "backoff",
  "resumeAfterSeconds",
  "recheckAfterSeconds",
  "pollSeconds",
  "sweepEverySeconds",
  "purge",
  "positiveControl",
];

/**
 * Reads a worker's configuration: JSON, whose sinks are named by type; or an ES module (`.mjs`, `.js`) whose default
 * export has sinks that it has made itself, for every system whose client this command does not carry.
 *
 * @throws {UsageError}
 */
export async function readWorkerConfig(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<WorkerConfig> {
  const isModule = /\.[cm]?js$/.test(path);
  const raw = isModule ? await importModule(path) : readJson(path);
  const fields = requireObject(raw, path);
  for (const name of Object.keys(fields)) {
    if (name !== "tenants" && name !== "sinks" && !TUNING.includes(name as keyof WorkerTuning)) {
      throw new UsageError(`${path} has an unknown field "${name}"`, `Known: tenants, sinks, ${TUNING.join(", ")}.`);
    }
  }
  const { tenants = [], sinks } = fields;
  if (!Array.isArray(tenants) || !tenants.every((each): each is string => typeof each === "string" && each !== "")) {
    throw new UsageError(`"tenants" of ${path} is not a list of keys`, `Give "tenants": ["acme", …], or --tenant.`);
  }
  if (!Array.isArray(sinks) || sinks.length === 0) {
    throw new UsageError(`"sinks" of ${path} is not a list of sinks`, "See docs/guides/cli.md, “The worker”.");
  }
  const tuning = Object.fromEntries(TUNING.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
  const opened = isModule ? ownSinks(sinks, path) : openSinks(sinks, { env, folder: dirname(resolve(path)), path });
  return { tenants, tuning, ...opened };
}

function ownSinks(sinks: readonly unknown[], path: string): OpenedSinks {
  const isSink = (value: unknown): value is Sink =>
    typeof (value as Sink | null)?.name === "string" && typeof (value as Sink).destroy === "function";
  if (!sinks.every(isSink)) {
    throw new UsageError(
      `"sinks" of ${path} holds something that is no sink`,
      "Make each with a factory, such as httpSink({ … }).",
    );
  }
  return { sinks, close: () => Promise.resolve() };
}

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    throw new UsageError(`${path}: cannot be read (${code})`, "Check the file given to --config.");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not valid JSON`, "Correct it, or name an ES module, which ends in .mjs.");
  }
}

async function importModule(path: string): Promise<unknown> {
  try {
    return ((await import(pathToFileURL(resolve(path)).href)) as { default?: unknown }).default;
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error;
    throw new UsageError(
      `${path} cannot be loaded (${name})`,
      "Run it with node to see why; it has to export a default.",
    );
  }
}

import type { Command } from "commander";
import type { ErasureScope } from "@demystify/memory";
import type { Invocation } from "../commands/command.js";
import { declareSubject, readSubject, type SubjectOptions } from "./subject.js";

export interface ScopeOptions extends SubjectOptions {
  readonly memory?: readonly string[];
}

/** Adds what is meant: a person, or chosen memories of one. */
export function declareScope(command: Command): Command {
  declareSubject(command);
  return command.option("--memory <id...>", "only these memories of one person, by id, instead of the whole person");
}

/** The scope that was named. Chosen memories need no key, unless they are filed under several persons. */
export async function readScope(
  invocation: Invocation<ScopeOptions>,
  tenantKey: string,
  commandLine: string,
  question: string,
): Promise<ErasureScope> {
  const { memory: memoryIds, subjectStdin } = invocation.options;
  const subject = async () => readSubject(invocation, commandLine, question);
  if (memoryIds === undefined) return { tenantKey, subjectKey: await subject() };
  return { tenantKey, memoryIds, ...(subjectStdin === true ? { subjectKey: await subject() } : {}) };
}

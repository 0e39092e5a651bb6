import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Columns, Conversation } from "../../src/input/message.js";
import { readConversation } from "../../src/input/read-conversation.js";

export const DEFAULT_COLUMNS: Columns = { subject: "subject", text: "text", time: { name: "at", required: false } };

/** A folder that is gone when the tests of this file have run. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "memory-cli-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a file and reads it as the command does. */
export async function reading(
  folder: string,
  name: string,
  content: string | Buffer,
  columns: Columns = DEFAULT_COLUMNS,
): Promise<Conversation> {
  const path = join(folder, name);
  writeFileSync(path, content);
  return readConversation(path, columns);
}

/** What reading such a file is refused with. */
export async function refusal(
  ...input: Parameters<typeof reading>
): Promise<{ message: string; help: string; exitCode: number }> {
  try {
    await reading(...input);
  } catch (error) {
    return error as { message: string; help: string; exitCode: number };
  }
  throw new Error("the file was read, but should have been refused");
}

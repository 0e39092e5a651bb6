import type { Command } from "commander";
import type { ErasureRef } from "@demystify/memory";
import type { Invocation } from "../command.js";

/** Adds the erasure a command is about. Its id names nobody. */
export function declareErasureId(command: Command): Command {
  return command.argument("<erasure-id>", "the erasure, as forget and erasures print it");
}

export function erasureRef(tenantKey: string, { args }: Invocation): ErasureRef {
  return { tenantKey, tombstoneId: args[0] ?? "" };
}

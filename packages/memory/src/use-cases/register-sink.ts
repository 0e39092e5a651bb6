import { readCode, readOneOf } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import { readKey } from "../domain/input/strings.js";
import { REQUIRED_PROOFS, type RequiredProof, type SinkRegistration } from "../domain/placement.js";
import type { MemoryContext } from "./context.js";

/** A sink, and how strongly it must prove that a copy is gone. */
export interface RegisterSinkInput {
  readonly tenantKey: string;
  readonly sink: string;
  /** Default: `unfindable`. `absent` is for a sink that can only be looked up by key. */
  readonly requiredProof?: RequiredProof;
}

export async function registerSink(context: MemoryContext, input: RegisterSinkInput): Promise<SinkRegistration> {
  const fields = readFields(input, ["tenantKey", "sink", "requiredProof"]);
  return context.store.placements.registerSink(
    readKey(fields.tenantKey, "tenantKey"),
    readCode(fields.sink, "sink"),
    readOneOf(fields.requiredProof, "requiredProof", REQUIRED_PROOFS, "unfindable"),
  );
}

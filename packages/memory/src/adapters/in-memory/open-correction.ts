import { InvalidInputError, NotFoundError, RestrictedError, SubjectForgottenError } from "../../errors.js";
import type { OpenErasure } from "../../ports/memory-store.js";
import type { Correction } from "../../ports/upkeep-store.js";
import type { Erasure } from "./erasure.js";
import { openErasure, refuseHeld } from "./open-erasure.js";
import type { StoredMemory } from "./stored-row.js";
import { hasExpired, type TenantState } from "./tenant-state.js";

/**
 * Opens the erasure of a memory and stores its corrected text, in one step. A call whose answer was lost gets the
 * same answer again.
 */
export function openCorrection(
  state: TenantState,
  request: OpenErasure,
  correction: Correction,
  now: string,
): { readonly erasure: Erasure; readonly memory: StoredMemory } {
  const answered = state.log.get(request.tombstoneId);
  const stored = state.memories.get(correction.memoryId);
  if (answered && stored) return { erasure: answered, memory: stored };

  const old = correctable(state, request, now);
  if (stored || state.log.covers("memory", correction.memoryId)) throw new InvalidInputError("memoryId", "is taken");
  // Whoever asks for it: a corrected text beside one that a hold keeps would be two truths.
  refuseHeld(state, old.persons, now);
  const erasure = openErasure(state, request, now);
  const memory: StoredMemory = {
    ...old,
    id: correction.memoryId,
    text: correction.text,
    contentTags: [...correction.contentTags],
    createdAt: now,
    sequence: state.nextSequence(),
    idempotencyHash: null,
    provenanceKnown: true,
    persons: new Set(old.persons),
    embedding: correction.embedding && Float32Array.from(correction.embedding),
    termHashes: [...correction.termHashes],
  };
  state.add(memory);
  return { erasure, memory };
}

function correctable(state: TenantState, { target }: OpenErasure, now: string): StoredMemory {
  const [id = ""] = target.scope === "memories" ? target.memoryIds : [];
  if (state.log.covers("memory", id)) throw new SubjectForgottenError("an erasure covers this memory");
  const memory = state.memories.get(id);
  if (memory === undefined || hasExpired(memory, now)) throw new NotFoundError("memory");
  if (state.isRestricted(memory)) throw new RestrictedError("the memory is restricted");
  return memory;
}

import {
  ERASURE_REASONS,
  REQUESTER_ROLES,
  type ErasureReason,
  type LegalBasis,
  type RequesterRole,
} from "../domain/codes.js";
import { readCode, readOneOf } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import { readKey, readOptionalKey } from "../domain/input/strings.js";
import { InvalidInputError } from "../errors.js";
import type { OpenErasure } from "../ports/memory-store.js";
import type { MemoryContext } from "./context.js";
import { readScope, SCOPE_FIELDS, type ErasureScope } from "./erasure-scope.js";
import { newId } from "./new-id.js";

/** What `forget` and `erasures.open` take. */
export type ForgetInput = ErasureScope & {
  /** Default: `subject_request`. */
  readonly reason?: ErasureReason;
  /** Default: `unspecified`, and the receipt shows it. */
  readonly legalBasis?: LegalBasis;
  /** Default: role `unspecified`. The id is stored as a keyed hash; without a pepper it is refused. */
  readonly requestedBy?: { readonly role: RequesterRole; readonly id?: string };
  /** The same id gets the same receipt again; for another scope it is refused. */
  readonly requestId?: string;
  /** As `previewForget` gave it: refuses where the closure has changed since. */
  readonly previewToken?: string;
};

const FIELD_NAMES = [...SCOPE_FIELDS, "reason", "legalBasis", "requestedBy", "requestId", "previewToken"] as const;

/** A checked request, under a tombstone id of its own. */
export function readErasureRequest(context: MemoryContext, input: ForgetInput): OpenErasure {
  const fields = readFields(input, FIELD_NAMES);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const target = readScope(context, tenantKey, fields);
  const requestId = readOptionalKey(fields.requestId, "requestId");
  return {
    tenantKey,
    tombstoneId: newId(),
    target,
    reason: readOneOf(fields.reason, "reason", ERASURE_REASONS, "subject_request"),
    legalBasis: readCode(fields.legalBasis, "legalBasis", "unspecified"),
    origin: "forget",
    requestedBy: readRequester(context, tenantKey, fields.requestedBy),
    requestHash: requestId === null ? null : context.keyring.requestHash(tenantKey, requestId),
    previewToken: readOptionalKey(fields.previewToken, "previewToken"),
  };
}

function readRequester(context: MemoryContext, tenantKey: string, value: unknown): OpenErasure["requestedBy"] {
  if (value === undefined) return { role: "unspecified", idHash: null };
  const fields = readFields(value, ["role", "id"], "requestedBy");
  const role = readOneOf(fields.role, "requestedBy.role", REQUESTER_ROLES);
  const id = readOptionalKey(fields.id, "requestedBy.id");
  if (id === null) return { role, idHash: null };
  if (!context.keyring.keyed) {
    throw new InvalidInputError(
      "requestedBy.id",
      "cannot be kept without a pepper",
      "Set `subjectHashPepper`, or leave the id out: a plain hash of it could be guessed.",
    );
  }
  return { role, idHash: context.keyring.requesterHash(tenantKey, id) };
}

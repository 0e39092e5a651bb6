import {
  ERASURE_REASONS,
  REQUESTER_ROLES,
  type ErasureReason,
  type LegalBasis,
  type RequesterRole,
} from "../domain/codes.js";
import { readCode, readOneOf } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import { readOptionalKey } from "../domain/input/strings.js";
import { InvalidInputError } from "../errors.js";
import type { OpenErasure } from "../ports/memory-store.js";
import type { MemoryContext } from "./context.js";
import { readScope, SCOPE_FIELDS, storeScope, type ErasureScope, type ParsedScope } from "./erasure-scope.js";
import { newId } from "./new-id.js";

/** On what ground an erasure is opened, and who asked. */
export interface ErasureGround {
  /** Default: `subject_request`. */
  readonly reason?: ErasureReason;
  /** Default: `unspecified`, and the receipt shows it. */
  readonly legalBasis?: LegalBasis;
  /** Default: role `unspecified`. The id is stored as a keyed hash; without a pepper it is refused. */
  readonly requestedBy?: { readonly role: RequesterRole; readonly id?: string };
}

/** What `forget` and `erasures.open` take. */
export type ForgetInput = ErasureScope &
  ErasureGround & {
    /** The same id gets the same receipt again; for another scope it is refused. */
    readonly requestId?: string;
    /** As `previewForget` gave it: refuses where the closure has changed since. */
    readonly previewToken?: string;
  };

/** A `ForgetInput`, checked; all of it but the scope as the store takes it. */
export interface ParsedRequest {
  readonly scope: ParsedScope;
  readonly request: Omit<OpenErasure, "target">;
}

export const GROUND_FIELDS = ["reason", "legalBasis", "requestedBy"] as const;

const FIELD_NAMES = [...SCOPE_FIELDS, ...GROUND_FIELDS, "requestId", "previewToken"] as const;

/** A checked request, under a tombstone id of its own. */
export function readErasureRequest(context: MemoryContext, input: ForgetInput): ParsedRequest {
  const fields = readFields(input, FIELD_NAMES);
  const scope = readScope(fields);
  const requestId = readOptionalKey(fields.requestId, "requestId");
  return {
    scope,
    request: {
      tenantKey: scope.tenantKey,
      tombstoneId: newId(),
      ...readGround(context, scope.tenantKey, fields),
      origin: "forget",
      requestHash: requestId === null ? null : context.keyring.requestHash(scope.tenantKey, requestId),
      previewToken: readOptionalKey(fields.previewToken, "previewToken"),
    },
  };
}

/** The request as the store takes it, the person under every key of the context. */
export function storeRequest(context: MemoryContext, { scope, request }: ParsedRequest): OpenErasure {
  return { ...request, target: storeScope(context, scope) };
}

export function readGround(
  context: MemoryContext,
  tenantKey: string,
  fields: Readonly<Record<(typeof GROUND_FIELDS)[number], unknown>>,
): Pick<OpenErasure, "reason" | "legalBasis" | "requestedBy"> {
  return {
    reason: readOneOf(fields.reason, "reason", ERASURE_REASONS, "subject_request"),
    legalBasis: readCode(fields.legalBasis, "legalBasis", "unspecified"),
    requestedBy: readRequester(context, tenantKey, fields.requestedBy),
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

import { sha256Hex } from "@demystify/memory";

/** A copy in a sink that an erasure waits for. */
export interface Copy {
  readonly tenantKey: string;
  readonly placementId: string;
  /** Where in the sink, as it was recorded. It may be personal: it goes into no event, error or metric. */
  readonly ref: string;
  readonly kind: string;
}

/**
 * What a writer stores beside every copy, so that it can be found without its ref: two opaque values that say nothing
 * about a person.
 */
export interface CopyTag {
  readonly placementId: string;
  /** The tenant as a short hash, so that a sink can list one tenant's copies without learning its key. */
  readonly tenantTag: string;
}

/** The tag of a copy. The same copy has the same tag in every process. */
export function tagOf(copy: { readonly tenantKey: string; readonly placementId: string }): CopyTag {
  return { placementId: copy.placementId, tenantTag: tenantTag(copy.tenantKey) };
}

/** A tenant as sinks know it: 24 hexadecimal digits of a hash. An opaque name, not a secret. */
export function tenantTag(tenantKey: string): string {
  return sha256Hex(`demystify-memory-sink:${tenantKey}`).slice(0, 24);
}

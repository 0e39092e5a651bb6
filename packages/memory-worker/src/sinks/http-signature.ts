import { createHmac, timingSafeEqual } from "node:crypto";

/** What a signature covers. */
export interface SignedRequest {
  readonly secret: string;
  /** Seconds since 1970, as the header `x-demystify-timestamp` has them. */
  readonly timestamp: string;
  /** The body, byte for byte. */
  readonly body: string;
}

/** The header `x-demystify-signature` of a request: HMAC-SHA-256 over `<timestamp>.<body>`, in hexadecimal. */
export function signRequest({ secret, timestamp, body }: SignedRequest): string {
  return `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}

/**
 * Whether a request is from the holder of the secret, and no older than the tolerance: what the receiver checks before
 * it does anything.
 */
export function isSignedRequest(
  request: SignedRequest & { readonly signature: string; readonly toleranceSeconds?: number; readonly now?: Date },
): boolean {
  const age = (request.now ?? new Date()).getTime() / 1000 - Number(request.timestamp);
  if (!(Math.abs(age) <= (request.toleranceSeconds ?? 300))) return false;
  const expected = Buffer.from(signRequest(request));
  const given = Buffer.from(request.signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

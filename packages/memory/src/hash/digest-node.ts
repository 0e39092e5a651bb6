import { createHash, createHmac } from "node:crypto";

/** SHA-256 of the bytes: 32 bytes. */
export function sha256(message: Uint8Array): Uint8Array {
  return createHash("sha256").update(message).digest();
}

/** HMAC-SHA-256 of the bytes under a key of any length: 32 bytes. */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  return createHmac("sha256", key).update(message).digest();
}

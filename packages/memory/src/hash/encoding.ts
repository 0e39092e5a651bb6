const utf8 = new TextEncoder();

/**
 * What a hash here is made over: the label of its purpose and the parts, each with its length in front (four bytes,
 * big-endian, then UTF-8). Tenant "a" with subject "bc" and tenant "ab" with subject "c" are different inputs, and
 * a hash made for one purpose is never one of another.
 */
export function encodeParts(label: HashLabel, ...parts: readonly string[]): Uint8Array {
  const encoded = [label, ...parts].map((part) => utf8.encode(part));
  const bytes = new Uint8Array(encoded.reduce((length, part) => length + 4 + part.length, 0));
  const view = new DataView(bytes.buffer);
  let offset = 0;
  for (const part of encoded) {
    view.setUint32(offset, part.length);
    bytes.set(part, offset + 4);
    offset += 4 + part.length;
  }
  return bytes;
}

/** The purposes something is hashed for. */
export type HashLabel =
  "subject" | "content-of" | "content" | "term" | "idempotency" | "request" | "requester" | "check" | "placement";

/** Lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += (byte < 16 ? "0" : "") + byte.toString(16);
  return hex;
}

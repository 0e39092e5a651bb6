import { randomBytes } from "node:crypto";

/**
 * A word that occurs nowhere else: put it into what is to be erased, then expect it nowhere. Letters only, so that no
 * redactor takes it for a number, and one token, so that recall can find it while it lives.
 */
export function aCanary(): string {
  const letters = [...randomBytes(16)].map((byte) => String.fromCharCode(97 + (byte % 26)));
  return `canary${letters.join("")}`;
}

import { createUuidV7Source } from "../../domain/uuid-v7.js";

/** The id of what the store itself begins: a restriction, a hold, the erasure of a late write. */
export const newId = createUuidV7Source(Date.now, (bytes) => {
  globalThis.crypto.getRandomValues(bytes);
});

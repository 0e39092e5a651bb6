import { createUuidV7Source } from "../domain/uuid-v7.js";

/** A new row or tombstone id. Made here and not by the store, so that a lost answer can be asked for again. */
export const newId = createUuidV7Source(Date.now, (bytes) => {
  globalThis.crypto.getRandomValues(bytes);
});

/** Marks the tag that a text has whoever it is filed under. It is compared across people, and so only ever reported. */
const SHARED = "any:";

export function sharedTag(hash: string): string {
  return SHARED + hash;
}

/** The tags of the persons a text is filed under: what may refuse a text that was erased. */
export function ownTags(tags: readonly string[]): readonly string[] {
  return tags.filter((tag) => !tag.startsWith(SHARED));
}

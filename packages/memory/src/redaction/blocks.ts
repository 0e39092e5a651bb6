/** A block is at least this long; texts are seldom longer than one. */
const BLOCK = 1 << 15;

/** What a line that can hold no identifier, no mask and no part of either does not contain. */
const SOMETHING = /[0-9@&%[\\\u0080-\uffff]/;

/**
 * Where to cut a long text so that each part can be redacted by itself: before a line that holds nothing. No rule
 * looks across such a line: labels reach over one line end at most. A text without such lines is one block.
 */
export function blockEnds(text: string): readonly number[] {
  const ends: number[] = [];
  let start = 0;
  while (text.length - start > BLOCK) {
    const end = nextCut(text, start + BLOCK);
    if (end < 0) break;
    ends.push(end);
    start = end;
  }
  ends.push(text.length);
  return ends;
}

function nextCut(text: string, from: number): number {
  let lineEnd = text.indexOf("\n", from);
  while (lineEnd >= 0) {
    const next = text.indexOf("\n", lineEnd + 1);
    if (next < 0) return -1;
    if (next === lineEnd + 1 || !SOMETHING.test(text.slice(lineEnd + 1, next))) return lineEnd + 1;
    lineEnd = next;
  }
  return -1;
}

import type { Candidate } from "../candidate.js";
import { isAlphanumeric, isLetter } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";
import type { Settings } from "../settings.js";
import { isAbhaDomain } from "../validators/abha.js";
import { isKnownProvider } from "../validators/upi.js";
import { isLabelled } from "./code-labels.js";
import { localPartStart } from "./find-emails.js";

const DOT = 0x2e;
const LONGEST_PROVIDER = 32;

/** UPI and ABHA addresses: `name@word` where the word has no dot. A known word is enough; any word is with a label. */
export function findUpi(view: FoldedText, ats: readonly number[], settings: Settings): Candidate[] {
  const found: Candidate[] = [];
  for (const at of ats) {
    const start = localPartStart(view, at, 0);
    if (start < 0) continue;
    let end = at + 1;
    while (end - at <= LONGEST_PROVIDER && isAlphanumeric(view.at(end))) end++;
    const isDomain = view.at(end) === DOT && isLetter(view.at(end + 1));
    if (end - at < 3 || end - at > LONGEST_PROVIDER || isDomain) continue;

    const word = view.slice(at + 1, end);
    if (settings.kinds.has("abha") && isAbhaDomain(word)) found.push({ kind: "abha", start, end, isAddress: true });
    else if (settings.kinds.has("upi") && (isKnownProvider(word) || isLabelled(view, start, end, UPI_LABELS))) {
      found.push({ kind: "upi", start, end });
    }
  }
  return found;
}

const UPI_LABELS: ReadonlySet<"upi"> = new Set(["upi"]);

import type { Candidate } from "../candidate.js";
import { isAlphanumeric, isDigit, isLetter, isLower } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";
import type { Settings } from "../settings.js";
import { hasGstinShape, isGstin } from "../validators/gstin.js";
import { isIfsc, isKnownBank } from "../validators/ifsc.js";
import { isPan } from "../validators/pan.js";
import { GSTIN_LABELS, IFSC_LABELS, isLabelled, namesBank, PAN_LABELS } from "./code-labels.js";

const PAN_LENGTH = 10;
const IFSC_LENGTH = 11;
const GSTIN_LENGTH = 15;

/** Labels that people run into the code: `PANABCPD1234F`. */
const RUN_IN_LABELS: readonly string[] = ["PAN", "IFSC", "GSTIN", "GST"];

/** PAN, GSTIN and IFSC among the tokens of letters and digits. */
export function findCodes(view: FoldedText, tokens: readonly number[], settings: Settings): Candidate[] {
  const found: Candidate[] = [];
  for (let index = 0; index < tokens.length; index += 2) {
    const end = tokens[index + 1] ?? 0;
    const start = afterRunInLabel(view, tokens[index] ?? 0, end);
    const candidate = codeAt(view, start, end, settings);
    if (candidate !== null) found.push(candidate);
  }
  return found;
}

function codeAt(view: FoldedText, start: number, end: number, settings: Settings): Candidate | null {
  const { kinds } = settings;
  switch (end - start) {
    case GSTIN_LENGTH: {
      if (!kinds.has("gstin") || !isDigit(view.at(start))) return null;
      const text = view.upper(start, end);
      const accepted =
        isGstin(text) || (settings.labelledTypos && hasGstinShape(text) && isLabelled(view, start, end, GSTIN_LABELS));
      return accepted ? { kind: "gstin", start, end } : null;
    }
    case PAN_LENGTH: {
      if (!kinds.has("pan") || !isLetter(view.at(start)) || !isDigit(view.at(start + 5))) return null;
      if (!isPan(view.upper(start, end))) return null;
      if (isAllLower(view, start, end) && !isLabelled(view, start, end, PAN_LABELS)) return null;
      return { kind: "pan", start, end };
    }
    case IFSC_LENGTH: {
      if (!kinds.has("ifsc") || view.at(start + 4) !== 0x30) return null;
      const text = view.upper(start, end);
      if (!isIfsc(text)) return null;
      const byForm = settings.anyBankCode || isKnownBank(text.slice(0, 4));
      if (byForm && !isAllLower(view, start, end)) return { kind: "ifsc", start, end };
      const isNamed = isLabelled(view, start, end, IFSC_LABELS) || namesBank(view, start);
      return isNamed ? { kind: "ifsc", start, end } : null;
    }
    default:
      return null;
  }
}

function afterRunInLabel(view: FoldedText, start: number, end: number): number {
  const size = end - start;
  for (const label of RUN_IN_LABELS) {
    const rest = size - label.length;
    if (rest !== PAN_LENGTH && rest !== IFSC_LENGTH && rest !== GSTIN_LENGTH) continue;
    if (view.slice(start, start + label.length).toUpperCase() === label) return start + label.length;
  }
  return start;
}

function isAllLower(view: FoldedText, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const code = view.at(index);
    if (isAlphanumeric(code) && !isDigit(code) && !isLower(code)) return false;
  }
  return true;
}

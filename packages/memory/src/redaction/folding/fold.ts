import { foldSequence, foldUnit, isAlone } from "./characters-of-input.js";
import { DROP } from "./fold-table.js";
import { FoldedText } from "./folded-text.js";
import { HOLDING, nextHolding, ROLES, SPECIAL } from "./holding.js";

const LINE_FEED = 0x0a;

/**
 * Folds `text`, which starts at `offset` of the input, in one pass. Of lines in a row that hold nothing only two
 * are kept, one of them the last: a label may stand on it, and no rule looks further.
 */
export function fold(text: string, offset = 0): FoldedText {
  const size = text.length;
  const codes = new Uint16Array(size);
  const at: number[] = [];
  const shift: number[] = [];
  let length = 0;
  let index = 0;
  let lastShift = 0;
  let lineStart = 0;
  let holds = 0;
  let isAfterBare = false;

  while (index < size) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      const role = ROLES[unit] as number;
      if (role !== SPECIAL) {
        codes[length++] = unit;
        holds |= role;
        index++;
        continue;
      }
    }
    if (unit === LINE_FEED) {
      codes[length++] = unit;
      index++;
      const isBare = holds !== HOLDING;
      const next = isBare && isAfterBare ? lastBareLine(text, index) : -1;
      isAfterBare = isBare;
      holds = 0;
      if (next < 0) {
        lineStart = length;
        continue;
      }
      length = lineStart;
      index = next;
    } else {
      holds = HOLDING;
      const step = isAlone(unit) ? null : foldSequence(text, index);
      const code = step === null ? foldUnit(unit, length > 0 ? (codes[length - 1] as number) : 0) : step.code;
      if (code !== DROP) codes[length++] = code;
      index += step === null ? 1 : step.width;
    }
    if (index - length !== lastShift) {
      lastShift = index - length;
      at.push(length);
      shift.push(lastShift);
    }
  }
  return new FoldedText(codes, length, { at, shift }, { text, offset });
}

/**
 * Where the last bare line before the next one that holds something starts, for a line that starts at `from`; the end
 * of the text if no line holds anything, -1 if that line itself does.
 */
function lastBareLine(text: string, from: number): number {
  const holding = nextHolding(text, from);
  if (holding < 0) return text.length;
  const end = text.lastIndexOf("\n", holding);
  return end < from ? -1 : text.lastIndexOf("\n", end - 1) + 1;
}

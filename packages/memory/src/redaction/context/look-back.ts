import { isDigit, isWordUnit } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";
import { HIDDEN } from "../folding/hidden.js";
import type { Entry } from "./lexicon.js";
import type { Label } from "./vocabulary.js";
import { type Word, wordBefore } from "./word-reader.js";

/** What stands before a number, up to the nearest label in the same clause. */
export interface Before {
  readonly label: Label | null;
  /** Nothing but ties ("no", "is", `:`) between the label and the number. */
  readonly direct: boolean;
  /** A word such as "at" or "since" announces a moment. */
  readonly moment: boolean;
  /** "number", with no label of its own, or `#`. */
  readonly numberWord: boolean;
  readonly hash: boolean;
  /** Where an identifier or number that this one continues a list of ends; -1 if none. */
  readonly listAfter: number;
}

/** How far back a label is looked for, in units, in words, and in words that are none of the vocabulary's. */
const REACH = 110;
const MOST_WORDS = 12;
const MOST_UNKNOWN = 3;
/** A comma is a small step out of the clause. */
const COMMA_COST = 2;

const CURRENCY: ReadonlySet<number> = new Set([0x24, 0xa3, 0xa5, 0x20a8, 0x20ac, 0x20b9]);
/** Words that only say what sort of label the word before them is ("voter id", "aadhaar card"). */
const LABEL_NOUNS: ReadonlySet<string> = new Set(["id", "ids", "card", "cards", "code", "कार्ड", "आईडी", "कोड"]);
const QUALIFIABLE: ReadonlySet<Label> = new Set<Label>([
  "aadhaar",
  "vid",
  "pan",
  "gstin",
  "ifsc",
  "upi",
  "voter",
  "passport",
  "licence",
  "abha",
  "uan",
  "phone",
]);

const NOTHING: Before = { label: null, direct: false, moment: false, numberWord: false, hash: false, listAfter: -1 };

/** Walks back from `position` to the nearest label. The walk is bounded, so any number of walks stays linear. */
export function lookBack(view: FoldedText, position: number): Before {
  const limit = Math.max(0, position - REACH);
  let cursor = position;
  let words = 0;
  let unknown = 0;
  let direct = true;
  let moment = false;
  let numberWord = false;
  let hash = false;
  let nearestIsNumberWord = false;
  let joined = false;
  let lines = 0;

  while (cursor > limit && words < MOST_WORDS) {
    const code = view.at(cursor - 1);

    if (isWordUnit(code)) {
      const word = wordBefore(view, cursor);
      words++;
      cursor = word.start;
      const { entry } = word;
      // The letters of a token such as "a55d" say nothing; a label that is run on to the number before does.
      if (entry === null && isDigit(view.at(word.start - 1))) return unlabelled(moment, numberWord, hash, -1);

      const label = entry === null ? null : labelOf(view, word, entry, direct);
      if (label !== null) {
        const isQualified = label === "weak_reference" && direct && (nearestIsNumberWord || hash);
        return before(isQualified ? "reference" : label, direct, moment);
      }
      if (entry?.number === true) {
        numberWord = nearestIsNumberWord = true;
        continue;
      }
      if (entry?.person === true) {
        direct = false;
        if (++unknown > MOST_UNKNOWN) return unlabelled(moment, numberWord, hash, -1);
      } else if (entry?.connector === true) {
        direct = false;
        joined ||= unknown === 0;
      } else if (entry?.time === true) {
        moment ||= words === 1;
        direct = false;
      } else if (entry?.preposition === true) {
        direct = false;
      } else if (entry?.tie !== true) {
        if (nearestIsNumberWord && unknown === 0) return before("weak_reference", false, moment);
        direct = false;
        if (lines > 0 || ++unknown > MOST_UNKNOWN) return unlabelled(moment, numberWord, hash, -1);
      }
      nearestIsNumberWord = false;
      continue;
    }

    cursor--;
    switch (code) {
      case 0x20:
      case 0x09:
      case 0x0d:
        break;
      case 0x0a:
        if (++lines > 1 || unknown > 0) return unlabelled(moment, numberWord, hash, -1);
        break;
      case 0x2e: {
        if (!endsSentence(view, cursor, position)) break;
        return unlabelled(moment, numberWord, hash, -1);
      }
      case 0x2c:
        direct = false;
        joined ||= unknown === 0;
        unknown += COMMA_COST;
        if (unknown > MOST_UNKNOWN) return unlabelled(moment, numberWord, hash, -1);
        break;
      case 0x26:
        joined ||= unknown === 0;
        direct = false;
        break;
      case 0x2f:
        joined ||= unknown === 0;
        break;
      case 0x21:
      case 0x3b:
      case 0x3f:
      case 0x40:
      case 0x0964:
      case 0x0965:
        return unlabelled(moment, numberWord, hash, -1);
      case 0x23:
        hash = true;
        break;
      case HIDDEN:
        return unlabelled(moment, numberWord, hash, joined && unknown <= COMMA_COST ? cursor + 1 : -1);
      default:
        if (CURRENCY.has(code)) return before("amount", direct, moment);
        if (isDigit(code))
          return unlabelled(moment, numberWord, hash, joined && unknown <= COMMA_COST ? cursor + 1 : -1);
        if (code > 0x7f) direct = false;
    }
  }
  return unlabelled(moment, numberWord, hash, -1);
}

function before(label: Label, direct: boolean, moment: boolean): Before {
  return { label, direct, moment, numberWord: false, hash: false, listAfter: -1 };
}

function unlabelled(moment: boolean, numberWord: boolean, hash: boolean, listAfter: number): Before {
  if (!moment && !numberWord && !hash && listAfter < 0) return NOTHING;
  return { label: null, direct: false, moment, numberWord, hash, listAfter };
}

function labelOf(view: FoldedText, word: Word, entry: Entry, direct: boolean): Label | null {
  const { label, text } = entry;
  if (label === null) return null;
  if (LABEL_NOUNS.has(text)) {
    const before = previousWord(view, word.start)?.label ?? null;
    return before !== null && QUALIFIABLE.has(before) ? before : label;
  }
  if (label === "amount" && entry.unit && followsNumber(view, word.start)) return null;
  if (label === "account") {
    // "AC" alone also cools rooms.
    if (text === "ac" && !direct) return null;
    const before = previousWord(view, word.start);
    if (before?.otherOwner === true) return "reference";
    if (before?.text === "permanent") return "pan";
    if (before?.text === "on" && !direct) return null;
  }
  return label;
}

/** "500 rs 98…": the unit is the earlier number's. */
function followsNumber(view: FoldedText, position: number): boolean {
  const code = view.at(view.at(position - 1) === 0x20 ? position - 2 : position - 1);
  return isDigit(code) || code === HIDDEN;
}

/** The word before `position` if only spaces, `_` or `-` are between. */
function previousWord(view: FoldedText, position: number): Entry | null {
  let cursor = position;
  while (
    position - cursor < 3 &&
    (view.at(cursor - 1) === 0x20 || view.at(cursor - 1) === 0x5f || view.at(cursor - 1) === 0x2d)
  ) {
    cursor--;
  }
  return isWordUnit(view.at(cursor - 1)) ? wordBefore(view, cursor).entry : null;
}

/** Whether the full stop at `index` ends a sentence rather than a short form ("A/c. No. 12…"). */
function endsSentence(view: FoldedText, index: number, position: number): boolean {
  const next = view.at(index + 1);
  if (index + 1 !== position && next !== 0x20 && next !== 0x0a && next !== 0x0d) return false;
  if (!isWordUnit(view.at(index - 1))) return true;
  return wordBefore(view, index).entry?.abbreviation !== true;
}

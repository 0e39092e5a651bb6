import type { FoldedText } from "../folding/folded-text.js";
import {
  ABBREVIATIONS,
  BANKS,
  CONNECTORS,
  LABEL_WORDS,
  type Label,
  NUMBER_WORDS,
  OTHER_ACCOUNT_OWNERS,
  PEOPLE,
  PREPOSITIONS,
  TIES,
  TIME_WORDS,
  UNITS,
} from "./vocabulary.js";

/** What the vocabulary says of one word. */
export interface Entry {
  /** Lower case; Devanagari without nukta. */
  readonly text: string;
  readonly label: Label | null;
  readonly tie: boolean;
  readonly number: boolean;
  readonly person: boolean;
  readonly preposition: boolean;
  readonly time: boolean;
  readonly connector: boolean;
  readonly abbreviation: boolean;
  readonly unit: boolean;
  readonly otherOwner: boolean;
  readonly bank: boolean;
}

const NUKTA = 0x093c;
/** U+0958 to U+095F are letters with a nukta; these are the letters without. */
const WITHOUT_NUKTA = "कखगजडढफय";

/** A power of two, and so large that few words meet another one in their place. */
const PLACES = 1 << 13;

/** Entries in the place of the hash of their text or, if it is taken, the next free one: nothing is cut out to look it up. */
const ENTRIES: readonly (Entry | null)[] = buildEntries();

/** What the vocabulary says of the word from `start` to `end`; `null` if it does not know it. */
export function lookUp(view: FoldedText, start: number, end: number): Entry | null {
  let hash = 0;
  for (let index = start; index < end; index++) hash = step(hash, plain(view.at(index)));
  for (let place = placeOf(hash); ; place = (place + 1) % PLACES) {
    const entry = ENTRIES[place] ?? null;
    if (entry === null || spells(view, start, end, entry.text)) return entry;
  }
}

function spells(view: FoldedText, start: number, end: number, text: string): boolean {
  let place = 0;
  for (let index = start; index < end; index++) {
    const code = plain(view.at(index));
    if (code === NUKTA) continue;
    if (code !== text.charCodeAt(place++)) return false;
  }
  return place === text.length;
}

function step(hash: number, code: number): number {
  return code === NUKTA ? hash : (Math.imul(hash, 31) + code) | 0;
}

function placeOf(hash: number): number {
  return (hash ^ (hash >>> 13)) & (PLACES - 1);
}

function plain(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code + 32;
  return code >= 0x0958 && code <= 0x095f ? WITHOUT_NUKTA.charCodeAt(code - 0x0958) : code;
}

function buildEntries(): readonly (Entry | null)[] {
  const labels = new Map<string, Label>();
  for (const [label, words] of Object.entries(LABEL_WORDS)) {
    for (const word of wordsOf(words)) labels.set(word, label as Label);
  }
  const roles = {
    tie: new Set([...wordsOf(TIES), ...wordsOf(BANKS)]),
    bank: new Set(wordsOf(BANKS)),
    number: new Set(wordsOf(NUMBER_WORDS)),
    person: new Set(wordsOf(PEOPLE)),
    preposition: new Set(wordsOf(PREPOSITIONS)),
    time: new Set(wordsOf(TIME_WORDS)),
    connector: new Set(wordsOf(CONNECTORS)),
    abbreviation: new Set(wordsOf(ABBREVIATIONS)),
    unit: new Set(wordsOf(UNITS)),
    otherOwner: new Set(wordsOf(OTHER_ACCOUNT_OWNERS)),
  };
  const entries = new Array<Entry | null>(PLACES).fill(null);
  for (const text of new Set([...labels.keys(), ...Object.values(roles).flatMap((words) => [...words])])) {
    let hash = 0;
    for (let index = 0; index < text.length; index++) hash = step(hash, text.charCodeAt(index));
    const entry: Entry = {
      text,
      label: labels.get(text) ?? null,
      tie: roles.tie.has(text),
      number: roles.number.has(text),
      person: roles.person.has(text),
      preposition: roles.preposition.has(text),
      time: roles.time.has(text),
      connector: roles.connector.has(text),
      abbreviation: roles.abbreviation.has(text),
      unit: roles.unit.has(text),
      otherOwner: roles.otherOwner.has(text),
      bank: roles.bank.has(text),
    };
    let place = placeOf(hash);
    while (entries[place] !== null) place = (place + 1) % PLACES;
    entries[place] = entry;
  }
  return entries;
}

/** The words of a list, spelled as `plain` spells what is looked up. */
function wordsOf(list: string): string[] {
  return list.split(/\s+/).map((word) =>
    Array.from(word.normalize("NFC"), (letter) => plain(letter.charCodeAt(0)))
      .filter((code) => code !== NUKTA)
      .map((code) => String.fromCharCode(code))
      .join(""),
  );
}

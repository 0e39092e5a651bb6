import { isUpper, isWordUnit } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";
import { HIDDEN } from "../folding/hidden.js";

const SPACE = 0x20;
const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const SLASH = 0x2f;
const COLON = 0x3a;
const REACH = 120;
const LINK_PARTS: readonly string[] = ["wa.me/", "tel:", "whatsapp.com/", "whatsapp://", "sms:", "callto:"];
const SCHEME_END = "://";
const HOST_START = "www.";

/** Whether a number is part of a URL, and whether that URL dials it. */
export type InUrl = "none" | "link" | "other";

/**
 * The URLs of a text that must not change meanwhile. What was read for one number is not read again for the next, so
 * that numbers in a row take no longer than the text that they are in.
 */
export class Urls {
  readonly #view: FoldedText;
  /** How far the text is read, from where on all of it up to there may be a URL, and the last `/` or `:` in it. */
  #readTo = 0;
  #runStart = 0;
  #lastMark = -1;

  constructor(view: FoldedText) {
    this.#view = view;
  }

  around(start: number): InUrl {
    const before = this.#view.at(start - 1);
    if (isWordUnit(before) || before === SPACE || before === LINE_FEED || before === COMMA || before === 0) {
      return "none";
    }
    this.#read(start);
    const urlStart = Math.max(this.#runStart, start - REACH);
    return this.#lastMark < urlStart ? "none" : inUrl(this.#view, urlStart, start);
  }

  #read(start: number): void {
    // A number before the last one, or far behind it: only what is in reach counts.
    if (start < this.#readTo || start - REACH > this.#readTo) {
      this.#readTo = this.#runStart = Math.max(0, start - REACH);
      this.#lastMark = -1;
    }
    for (; this.#readTo < start; this.#readTo++) {
      const code = this.#view.at(this.#readTo);
      if (!isUrlUnit(code)) this.#runStart = this.#readTo + 1;
      else if (code === SLASH || code === COLON) this.#lastMark = this.#readTo;
    }
  }
}

function inUrl(view: FoldedText, urlStart: number, start: number): InUrl {
  let hasScheme = false;
  for (let end = start; end > urlStart; end--) {
    const last = view.at(end - 1);
    if (last !== SLASH && last !== COLON) continue;
    for (const part of LINK_PARTS) {
      if (endsWith(view, urlStart, end, part)) return "link";
    }
    hasScheme ||= endsWith(view, urlStart, end, SCHEME_END);
  }
  return hasScheme || endsWith(view, urlStart, urlStart + HOST_START.length, HOST_START) ? "other" : "none";
}

/** Whether the text from `start` to `end` ends with `expected`, in either case. */
function endsWith(view: FoldedText, start: number, end: number, expected: string): boolean {
  const from = end - expected.length;
  if (from < start) return false;
  for (let offset = expected.length - 1; offset >= 0; offset--) {
    const code = view.at(from + offset);
    if ((isUpper(code) ? code + 32 : code) !== expected.charCodeAt(offset)) return false;
  }
  return true;
}

function isUrlUnit(code: number): boolean {
  return code === HIDDEN || (code > 0x20 && code < 0x7f && code !== 0x22 && code !== 0x3c && code !== 0x3e);
}

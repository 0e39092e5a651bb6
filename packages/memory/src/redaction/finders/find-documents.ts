import type { Candidate } from "../candidate.js";
import type { Label } from "../context/vocabulary.js";
import { isDigit, isLetter } from "../folding/characters.js";
import type { FoldedText } from "../folding/folded-text.js";
import type { Settings } from "../settings.js";
import { isDrivingLicence } from "../validators/driving-licence-in.js";
import { isPassport } from "../validators/passport-in.js";
import { isVehicleRegistration } from "../validators/vehicle-reg-in.js";
import { isVoterId } from "../validators/voter-id.js";
import { isLabelled } from "./code-labels.js";
import { afterGap, beforeGap, digitsEnd, lettersEnd, standsAlone } from "./gaps.js";

const VOTER: ReadonlySet<Label> = new Set<Label>(["voter"]);
const PASSPORT: ReadonlySet<Label> = new Set<Label>(["passport"]);
const VEHICLE: ReadonlySet<Label> = new Set<Label>(["vehicle"]);
const LICENCE_DIGITS = 13;

/** Voter ids and passports (with a label), driving licences and number plates (by their form). */
export function findDocuments(view: FoldedText, groups: readonly number[], settings: Settings): Candidate[] {
  const found: Candidate[] = [];
  const keep = (candidate: Candidate | null): void => {
    if (candidate !== null && settings.kinds.has(candidate.kind)) found.push(candidate);
  };
  for (let index = 0; index < groups.length; index += 2) {
    const start = groups[index] ?? 0;
    const end = groups[index + 1] ?? 0;
    if (end - start === 7) {
      keep(labelledCode(view, start, end, 3, "voter_id", isVoterId, VOTER));
      keep(labelledCode(view, start, end, 1, "passport_in", isPassport, PASSPORT));
    }
    if (settings.kinds.has("driving_licence_in")) keep(licenceAround(view, start));
    if (settings.kinds.has("vehicle_reg_in") && end - start <= 4) {
      keep(end - start === 2 ? (bharatPlate(view, start) ?? plateAround(view, start)) : plateAround(view, start));
    }
  }
  return found;
}

/** Letters, perhaps a gap, and the digits from `start` to `end`. */
function labelledCode(
  view: FoldedText,
  start: number,
  end: number,
  letters: number,
  kind: "voter_id" | "passport_in",
  isValid: (text: string) => boolean,
  labels: ReadonlySet<Label>,
): Candidate | null {
  const lettersStart = wordBeforeDigits(view, start, letters);
  if (lettersStart < 0 || !standsAlone(view, lettersStart, end)) return null;
  const text = view.upper(lettersStart, lettersStart + letters) + view.slice(start, end);
  return isValid(text) && isLabelled(view, lettersStart, end, labels) ? { kind, start: lettersStart, end } : null;
}

/** `MH12 20110012345`, `MH-1220110012345`, `DL-04-2011-0149646`: two letters, then thirteen digits in few groups. */
function licenceAround(view: FoldedText, digitsStart: number): Candidate | null {
  const start = wordBeforeDigits(view, digitsStart, 2);
  if (start < 0) return null;
  let digits = "";
  let cursor = digitsStart;
  let end = digitsStart;
  for (let group = 0; group < 4 && digits.length < LICENCE_DIGITS; group++) {
    end = digitsEnd(view, cursor, LICENCE_DIGITS + 1);
    digits += view.slice(cursor, end);
    cursor = afterGap(view, end);
    if (!isDigit(view.at(cursor))) break;
  }
  const text = view.upper(start, start + 2) + digits;
  return isDrivingLicence(text) && standsAlone(view, start, end) ? { kind: "driving_licence_in", start, end } : null;
}

/** `MH12AB1234`, `MH 12 AB 1234`, `KA-05-M-1`: without a label in capitals and in full only, two digits, letters, four digits. */
function plateAround(view: FoldedText, districtStart: number): Candidate | null {
  const start = wordBeforeDigits(view, districtStart, 2);
  if (start < 0) return null;
  const districtEnd = digitsEnd(view, districtStart, 3);
  const seriesStart = afterGap(view, districtEnd);
  const seriesEnd = lettersEnd(view, seriesStart, 4);
  const numberStart = afterGap(view, seriesEnd);
  const end = digitsEnd(view, numberStart, 5);
  if (numberStart === end) return null;

  const series = view.upper(seriesStart, seriesEnd);
  const text =
    view.upper(start, start + 2) + view.slice(districtStart, districtEnd) + series + view.slice(numberStart, end);
  if (!isVehicleRegistration(text) || !standsAlone(view, start, end)) return null;
  const isFull =
    districtEnd - districtStart === 2 &&
    series !== "" &&
    end - numberStart === 4 &&
    series === view.slice(seriesStart, seriesEnd) &&
    view.upper(start, start + 2) === view.slice(start, start + 2);
  return isFull || isLabelled(view, start, end, VEHICLE) ? { kind: "vehicle_reg_in", start, end } : null;
}

/** `22BH1234AA`: the series for all of India. */
function bharatPlate(view: FoldedText, start: number): Candidate | null {
  const seriesStart = afterGap(view, start + 2);
  const seriesEnd = lettersEnd(view, seriesStart, 3);
  const numberStart = afterGap(view, seriesEnd);
  const numberEnd = digitsEnd(view, numberStart, 5);
  const tailStart = afterGap(view, numberEnd);
  const end = lettersEnd(view, tailStart, 3);
  const text =
    view.slice(start, start + 2) +
    view.upper(seriesStart, seriesEnd) +
    view.slice(numberStart, numberEnd) +
    view.upper(tailStart, end);
  return isVehicleRegistration(text) && standsAlone(view, start, end) ? { kind: "vehicle_reg_in", start, end } : null;
}

/** Where the word of exactly `letters` letters before the digits starts; -1 if there is none. */
function wordBeforeDigits(view: FoldedText, digitsStart: number, letters: number): number {
  const end = beforeGap(view, digitsStart);
  for (let index = 1; index <= letters; index++) {
    if (!isLetter(view.at(end - index))) return -1;
  }
  const start = end - letters;
  return isLetter(view.at(start - 1)) || isDigit(view.at(start - 1)) ? -1 : start;
}

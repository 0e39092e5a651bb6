import { describe, expect, test } from "vitest";
import { chooseLiterals, literalsOf } from "../src/proof/literals.js";

const TEXTS = [
  {
    given: "My Aadhaar is 3642 7185 9048, please update",
    stored: "My Aadhaar is [AADHAAR:****9048], please update",
    identifiers: ["3642 7185 9048"],
  },
  { given: "Card reader is down again", stored: "Card reader is down again", identifiers: [] },
  { given: "Thank you.", stored: "Thank you.", identifiers: [] },
  { given: "ok", stored: "ok", identifiers: [] },
];

describe("what the proof looks for", () => {
  test("is the key, every text as given and as stored, and every identifier with and without its spaces", () => {
    const literals = literalsOf("customer:1", TEXTS).map(({ kind, value, whole }) => [kind, value, whole]);

    expect(literals).toEqual([
      ["subject_key", "customer:1", true],
      ["identifier", "3642 7185 9048", false],
      ["identifier", "364271859048", true],
      ["text_as_stored", "My Aadhaar is [AADHAAR:****9048], please update", false],
      ["text_as_stored", "Card reader is down again", false],
      ["text_as_stored", "Thank you.", false],
      ["text_as_stored", "ok", false],
      ["text_as_given", "My Aadhaar is 3642 7185 9048, please update", false],
    ]);
  });

  test("leaves out what others said too and what is too short to tell apart, and counts both", () => {
    const choice = chooseLiterals(literalsOf("customer:1", TEXTS), ["Oh, thank you. Bye", "customer:12"]);

    expect(choice).toMatchObject({ shared: 1, tooShort: 1 });
    expect(choice.own.map(({ value }) => value)).toEqual([
      "customer:1",
      "3642 7185 9048",
      "364271859048",
      "My Aadhaar is [AADHAAR:****9048], please update",
      "Card reader is down again",
      "My Aadhaar is 3642 7185 9048, please update",
    ]);
  });

  test("a bare number as a key is too short to be told from counts", () => {
    expect(chooseLiterals(literalsOf("7", []), [])).toEqual({ own: [], shared: 0, tooShort: 1 });
  });
});

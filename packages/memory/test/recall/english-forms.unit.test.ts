import { describe, expect, test } from "vitest";
import { englishForms, englishStem } from "../../src/recall/english-forms.js";

describe("English inflections", () => {
  test.each([
    ["invoice", "invoices", "invoiced", "invoicing"],
    ["plan", "plans", "planned", "planning"],
    ["worry", "worries", "worried", "worrying"],
    ["watch", "watches", "watched", "watching"],
    ["paint", "paints", "painted", "painting"],
  ])("of %s are counted as one word, whichever is asked for", (...forms) => {
    for (const form of forms) expect(englishForms(form)).toEqual(expect.arrayContaining(forms));
  });

  test.each(["ring", "bed", "this", "bus", "class", "go", "2024", "चाय", "café"])("leave %s as it is", (word) => {
    expect(englishStem(word)).toBe(word);
  });

  test("do not join words that only begin alike", () => {
    expect(englishForms("state")).not.toContain("station");
    expect(englishStem("university")).not.toBe(englishStem("universe"));
    expect(englishStem("general")).not.toBe(englishStem("generate"));
  });

  test("are few, and each is counted as the word", () => {
    for (const word of ["running", "studies", "quickly", "agreed", "boxes"]) {
      const forms = englishForms(word);
      expect(forms).toContain(word);
      expect(forms.length).toBeLessThan(25);
      expect(new Set(forms.map(englishStem))).toEqual(new Set([englishStem(word)]));
    }
  });
});

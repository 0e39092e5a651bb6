import { describe, expect, test } from "vitest";
import { isValidAadhaar, isValidGstin, isValidIfsc, isValidPan } from "../../src/redaction/index.js";
import { isAadhaarVid } from "../../src/redaction/validators/aadhaar-vid.js";
import { looksLikeTimestamp } from "../../src/redaction/validators/bank-account.js";
import { isCard } from "../../src/redaction/validators/card.js";
import { readDomain } from "../../src/redaction/validators/email.js";
import { gstinCheckCharacter } from "../../src/redaction/validators/gstin.js";
import { isIban } from "../../src/redaction/validators/iban.js";
import { passesLuhn } from "../../src/redaction/validators/luhn.js";
import { isUsSsn } from "../../src/redaction/validators/us-ssn.js";
import { passesVerhoeff } from "../../src/redaction/validators/verhoeff.js";
import { isVoterId } from "../../src/redaction/validators/voter-id.js";

describe("Aadhaar", () => {
  test("UIDAI's published test numbers pass, and each fails with any one digit changed", () => {
    for (const number of ["999941057058", "999971658847", "999933119405", "999955183433", "999990501894"]) {
      expect([number, isValidAadhaar(number)]).toEqual([number, true]);
      for (let place = 0; place < number.length; place++) {
        const changed = number.slice(0, place) + String((Number(number[place]) + 1) % 10) + number.slice(place + 1);

        expect([changed, isValidAadhaar(changed)]).toEqual([changed, false]);
      }
    }
  });

  test.each([
    ["234123412346", true],
    ["2341 2341 2346", true],
    ["2341-2341-2346", true],
    ["२३४१२३४१२३४६", true],
    ["234567890123", false],
    ["123456789012", false],
    ["034123412346", false],
    ["2341 23412346", false],
    ["a 234123412346", false],
    ["", false],
  ])("%s: %s", (text, valid) => {
    expect(isValidAadhaar(text)).toBe(valid);
  });

  test("Verhoeff's published check digits are met", () => {
    for (const number of ["2363", "123451", "1428570"])
      expect([number, passesVerhoeff(number)]).toEqual([number, true]);
    expect(isAadhaarVid("2341234123412341")).toBe(true);
    expect(isAadhaarVid("2341234123412342")).toBe(false);
  });
});

describe("PAN", () => {
  test("exactly the ten holder types are accepted", () => {
    const accepted = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ").filter((letter) => isValidPan(`AAA${letter}A1234A`));

    expect(accepted.join("")).toBe("ABCFGHJLPT");
  });

  test.each([
    ["ABCPD1234F", true],
    ["abcpd1234f", true],
    ["ABCPD12345", false],
    ["ABCPD1234FG", false],
    ["A1111DFSFS", false],
  ])("%s: %s", (text, valid) => {
    expect(isValidPan(text)).toBe(valid);
  });
});

describe("GSTIN", () => {
  test.each([
    ["27AAPFU0939F1ZV", true],
    ["24AAACC1206D1ZM", true],
    ["29AAGCB7383J1Z4", true],
    ["27aapfu0939f1zv", true],
    ["27AAPFU0939F1ZO", false],
    ["27ABCDE1234F1Z5", false],
    ["07PQRST6789K1Z2", false],
    ["", false],
  ])("%s: %s", (text, valid) => {
    expect(isValidGstin(text)).toBe(valid);
  });

  test("state codes are 01 to 38, 97 and 99", () => {
    const accepted = Array.from({ length: 100 }, (_, code) => String(code).padStart(2, "0")).filter((code) => {
      const body = `${code}AAPFU0939F1Z`;
      return isValidGstin(body + gstinCheckCharacter(body));
    });

    expect(accepted).toEqual([
      ...Array.from({ length: 38 }, (_, code) => String(code + 1).padStart(2, "0")),
      "97",
      "99",
    ]);
  });

  test("the fourteenth character may be another class, for the check character covers it", () => {
    for (const type of ["C", "D", "S"]) {
      const body = `27AAPFU0939F1${type}`;

      expect(isValidGstin(body + gstinCheckCharacter(body))).toBe(true);
    }
  });
});

describe("IFSC", () => {
  test.each([
    ["SBIN0001234", true],
    ["sbin0001234", true],
    ["ABCD0EFGHIJ", true],
    ["SBIN1001234", false],
    ["SBI00001234", false],
    ["SBIN000123", false],
  ])("%s: %s", (text, valid) => {
    expect(isValidIfsc(text)).toBe(valid);
  });

  test("a value that is no string is not valid", () => {
    for (const isValid of [isValidAadhaar, isValidPan, isValidGstin, isValidIfsc])
      expect(isValid(42 as never)).toBe(false);
  });
});

describe("the other checks", () => {
  test.each([
    ["4111111111111111", true],
    ["378282246310005", true],
    ["30569309025904", true],
    ["6011577631711174", true],
    ["4111111111111112", false],
    ["1748503543012", false],
    ["9111111111111111", false],
  ])("card %s: %s", (digits, valid) => {
    expect(isCard(digits)).toBe(valid);
  });

  test("Luhn, mod 97, voter and social security numbers meet their published samples", () => {
    expect(passesLuhn("79927398713")).toBe(true);
    expect(passesLuhn("79927398710")).toBe(false);
    expect(isIban("GB82WEST12345698765432")).toBe(true);
    expect(isIban("DE89370400440532013000")).toBe(true);
    expect(isIban("DE88370400440532013000")).toBe(false);
    expect(isVoterId("WKH1186253")).toBe(true);
    expect(isVoterId("WKH1186263")).toBe(false);
    expect(["123456789", "000123456", "666123456", "900123456", "123006789", "123450000"].map(isUsSsn)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  test("dates with a time and epoch milliseconds look like moments; other runs do not", () => {
    expect(["20240501123045", "202405011230", "1748503543012"].map(looksLikeTimestamp)).toEqual([true, true, true]);
    expect(["30112233445566", "20249901123045", "2748503543012"].map(looksLikeTimestamp)).toEqual([
      false,
      false,
      false,
    ]);
  });

  test.each([
    ["example.com", { labels: 2, lastLength: 3 }],
    ["mail.example.co.in", { labels: 4, lastLength: 2 }],
    ["example.com.Please", { labels: 2, lastLength: 3 }],
    ["example.com.1", { labels: 2, lastLength: 3 }],
    ["example.com-2", { labels: 2, lastLength: 3 }],
    ["उदाहरण.भारत", { labels: 2, lastLength: 4 }],
    ["xn--bcher-kva.xn--p1ai", { labels: 2, lastLength: 8 }],
    ["example", null],
    ["2x.png", null],
    ["1.2.3", null],
    ["v1.2.beta", null],
    ["example.c", null],
  ])("the domain in %s is %o", (text, domain) => {
    expect(readDomain(text.split("."))).toEqual(domain);
  });
});

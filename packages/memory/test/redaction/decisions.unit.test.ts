import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  createRedactor,
  DEFAULT_KINDS,
  isValidAadhaar,
  isValidIfsc,
  OPTIONAL_KINDS,
  redact,
  strictRedactor,
} from "../../src/redaction/index.js";

/** Each text is kept by the default; the second is what the option of the decision makes of it, if there is one. */
const keeps = (text: string): void => {
  expect(redact(text)).toEqual({ text, redactions: [] });
};

describe("decision D1: twelve bare digits behind a reference label", () => {
  test.each([
    "order 234123412346",
    "UTR: 234123412346",
    "RRN no. 234123412346",
    "challan 234123412346",
    "IMPS 234123412346",
    "₹234123412346",
  ])("%s is kept, and masked if labels are ignored", (text) => {
    keeps(text);
    expect(createRedactor({ ignoreLabels: true }).redact(text).redactions).toHaveLength(1);
    expect(strictRedactor.redact(text).redactions).toHaveLength(1);
  });

  test("grouped, or with another label, or with none, it is masked", () => {
    expect(redact("UTR 2341 2341 2346").text).toBe("UTR [AADHAAR:****2346]");
    expect(redact("order for aadhaar 234123412346").text).toBe("order for aadhaar [AADHAAR:****2346]");
    expect(redact("parcel 5, 234123412346").text).toBe("parcel 5, [AADHAAR:****2346]");
  });
});

describe("decision D2: ten bare digits behind a reference or amount label", () => {
  test.each([
    "order 9876543210 se kiya",
    "ticket no. 9876543210",
    "PNR 9876543210",
    "case no 9876543210",
    "#9876543210",
    "₹9876543210",
    "Rs 9876543210",
    "balance 9876543210",
    "9876543210/-",
    "9876543210 rupees",
    "9876543210 bytes",
    "https://example.com/t/9876543210",
  ])("%s is kept, and masked if labels are ignored", (text) => {
    keeps(text);
    expect(createRedactor({ ignoreLabels: true }).redact(text).redactions).toHaveLength(1);
  });

  test.each([
    "order +91 9876543210",
    "order 98765 43210",
    "in that case 9876543210",
    "amount to 9876543210",
    "https://wa.me/919876543210",
    "https://example.com/?phone=9876543210",
    "send 500 rs 9876543210",
    "9876543210 rs 500",
  ])("%s is masked", (text) => {
    expect(redact(text).redactions.map(({ kind }) => kind)).toEqual(["phone_in"]);
  });
});

describe("decision D3: labelled numbers with a wrong check digit", () => {
  test.each([
    ["aadhaar 2341 2341 2347", "aadhaar [AADHAAR:****2347]"],
    ["GSTIN 27AAPFU0939F1ZO", "GSTIN [GSTIN:****1ZO]"],
  ])("%s is kept, and masked if asked for", (text, masked) => {
    keeps(text);
    expect(createRedactor({ labelledTypos: true }).redact(text).text).toBe(masked);
  });

  test("without the label they are kept either way", () => {
    for (const text of ["2341 2341 2347", "27AAPFU0939F1ZO"]) {
      expect(createRedactor({ labelledTypos: true }).redact(text)).toEqual({ text, redactions: [] });
    }
  });
});

describe("decisions D4 to D7", () => {
  test("D4: E and K are no holder types", () => {
    keeps("SAVED1234X");
    keeps("ABCKD1234F");
  });

  test("D5: credentials in URLs and places to copy from are kept; addresses in URLs are masked", () => {
    keeps("https://test:my%20pass@example.com");
    keeps("git clone git@example.com:org/repo.git");
    keeps("scp a deploy@host.example.com:/srv");
    expect(redact("https://x.example/?u=neha@example.com").text).toBe("https://x.example/?u=[EMAIL:****]");
  });

  test("D6: written-out addresses are kept; every form of the at sign is an address", () => {
    keeps("neha [at] example [dot] com, neha at example dot com");
    for (const at of ["@", "＠", "%40", "&#64;", "&commat;"])
      expect(redact(`neha${at}example.com`).text).toBe("[EMAIL:****]");
  });

  test("D7: nothing of an address is kept", () => {
    expect(redact("neha.sharma@example.com").text).toBe("[EMAIL:****]");
  });

  test("an IFSC of an unknown bank needs a label", () => {
    for (const text of ["ORDR0123456 packed", "sbin0001234"]) keeps(text);
    for (const text of [
      "IFSC XQZB0004321",
      "NEFT to XQZB0004321",
      "bank XQZB0004321",
      "XQZB0004321 is the IFSC",
      "ifsc sbin0001234",
    ]) {
      expect(redact(text).redactions.map(({ kind }) => kind)).toEqual(["ifsc"]);
    }
    expect(createRedactor({ anyBankCode: true }).redact("ORDR0123456").redactions).toHaveLength(1);
    expect(isValidIfsc("ORDR0123456")).toBe(true);
  });
});

describe("the guide", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/redaction.md", import.meta.url), "utf8");

  test("names every kind and every option", () => {
    for (const kind of [...DEFAULT_KINDS, ...OPTIONAL_KINDS]) expect(guide).toContain(`\`${kind}\``);
    for (const option of ["kinds", "bareAccountNumbers", "ignoreLabels", "anyBankCode", "labelledTypos"]) {
      expect(guide).toContain(`\`${option}\``);
    }
  });

  test("its samples are kept as it says", () => {
    for (const text of [
      "account credited, UPI ref 223344556671",
      "order number 8123456789",
      "₹9876543210",
      "UTR 234123412346",
      "9876543210 bytes",
    ]) {
      expect(guide).toContain(`"${text}"`);
      keeps(text);
    }
    expect(redact("12345678901 is my account number").text).toBe("[ACCOUNT:****8901] is my account number");
  });

  test("its odds are right: 8.9 % of twelve-digit and 44 % of ten-digit numbers", () => {
    const draws = 20_000;
    let aadhaar = 0;
    let mobile = 0;
    for (let draw = 0; draw < draws; draw++) {
      // A fixed walk over the numbers that do not begin with zero, so that the shares do not depend on luck.
      const number = 100_000_000_000 + Math.floor((draw + 0.5) * (900_000_000_000 / draws)) + ((draw * 7919) % 1009);
      if (isValidAadhaar(String(number))) aadhaar++;
      if (String(number).charAt(0) >= "6") mobile++;
    }

    expect(aadhaar / draws).toBeCloseTo(0.089, 2);
    expect(mobile / draws).toBeCloseTo(0.444, 2);
  });
});

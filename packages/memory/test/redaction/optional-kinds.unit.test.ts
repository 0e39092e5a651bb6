import { describe, expect, test } from "vitest";
import {
  createRedactor,
  DEFAULT_KINDS,
  OPTIONAL_KINDS,
  type RedactionKind,
  redact,
} from "../../src/redaction/index.js";

const MASKED: readonly (readonly [RedactionKind, string, string])[] = [
  ["upi", "pay ramesh@okaxis now", "pay [UPI:****] now"],
  ["upi", "9876543210@ybl", "[UPI:****]"],
  ["upi", "upi id is asha.k@mybank", "upi id is [UPI:****]"],
  ["card", "card 4111 1111 1111 1111 exp 12/27", "card [CARD:****1111] exp 12/27"],
  ["card", "4111111111111111", "[CARD:****1111]"],
  ["card", "3782 822463 10005", "[CARD:****0005]"],
  ["card", "rupay 6521 1111 1111 1110", "rupay [CARD:****1110]"],
  ["aadhaar_vid", "VID 2341 2341 2341 2341", "VID [VID:****2341]"],
  ["landline_in", "office 022-27654321", "office [LANDLINE:****4321]"],
  ["landline_in", "(022) 2765 4321", "[LANDLINE:****4321]"],
  ["landline_in", "+91 22 2765 4321", "[LANDLINE:****4321]"],
  ["landline_in", "phone 02227654321", "phone [LANDLINE:****4321]"],
  ["voter_id", "voter id WKH1186253", "voter id [VOTER_ID:****6253]"],
  ["passport_in", "passport no J8369854", "passport no [PASSPORT:****9854]"],
  ["passport_in", "J8369854 is my passport", "[PASSPORT:****9854] is my passport"],
  ["driving_licence_in", "DL-0420110149646", "[LICENCE:****9646]"],
  ["driving_licence_in", "MH12 20110012345 expired", "[LICENCE:****2345] expired"],
  ["vehicle_reg_in", "MH12AB1234", "[VEHICLE:****1234]"],
  ["vehicle_reg_in", "KA 05 MH 2345 parked", "[VEHICLE:****2345] parked"],
  ["vehicle_reg_in", "22 BH 1234 AA", "[VEHICLE:****34AA]"],
  ["vehicle_reg_in", "car ka-5-m-1", "car [VEHICLE:****A5M1]"],
  ["abha", "ABHA 91-1234-5678-9012", "ABHA [ABHA:****9012]"],
  ["abha", "abha no 91123456789012", "abha no [ABHA:****9012]"],
  ["abha", "asha@abdm", "[ABHA:****]"],
  ["uan", "UAN 100123456789", "UAN [UAN:****6789]"],
  ["dob", "DOB: 1990-03-12", "DOB: [DOB:****]"],
  ["dob", "born on 12th March 1990 in Pune", "born on [DOB:****] in Pune"],
  ["dob", "date of birth March 12, 1990", "date of birth [DOB:****]"],
  ["dob", "जन्म तिथि १२/०३/१९९०", "जन्म तिथि [DOB:****]"],
  ["iban", "GB82 WEST 1234 5698 7654 32", "[IBAN:****5432]"],
  ["iban", "DE89370400440532013000 please", "[IBAN:****3000] please"],
  ["us_ssn", "SSN 123-45-6789", "SSN [SSN:****6789]"],
  ["us_ssn", "ssn 123456789", "ssn [SSN:****6789]"],
];

const KEPT: readonly (readonly [RedactionKind, string])[] = [
  ["upi", "foo@bar"],
  ["upi", "neha@example.com"],
  ["upi", "@okaxis"],
  ["card", "order 4111111111111111"],
  ["card", "1748503543012"],
  ["card", "4111 1111 1111 1112"],
  ["card", "9111111111111111"],
  ["aadhaar_vid", "VID 2341 2341 2341 2342"],
  ["aadhaar_vid", "1341 2341 2341 2341"],
  ["landline_in", "1800-123-4567"],
  ["landline_in", "02227654321"],
  ["voter_id", "WKH1186253"],
  ["voter_id", "voter id WKH1186263"],
  ["passport_in", "model J8369854"],
  ["passport_in", "passport no T356907"],
  ["driving_licence_in", "XX0420110149646"],
  ["driving_licence_in", "DL-0417110149646"],
  ["vehicle_reg_in", "XX12AB1234"],
  ["vehicle_reg_in", "MH12IO1234"],
  ["vehicle_reg_in", "as 12 am 2345 pm"],
  ["abha", "91123456789012"],
  ["uan", "100123456789"],
  ["uan", "UAN 234567890123"],
  ["dob", "due 12/03/1990"],
  ["dob", "dob 45/13/1990"],
  ["dob", "born on time. Closed 12/03/2024"],
  ["iban", "GB83 WEST 1234 5698 7654 32"],
  ["us_ssn", "000-12-3456"],
  ["us_ssn", "123 45 6789"],
];

describe("kinds that a host asks for", () => {
  test.each(MASKED)("%s: %s", (kind, text, masked) => {
    const alone = createRedactor({ kinds: [kind] });
    const withDefaults = createRedactor({ kinds: [...DEFAULT_KINDS, kind] });

    expect(alone.redact(text).text).toBe(masked);
    expect(withDefaults.redact(text).text).toBe(masked);
    expect(withDefaults.redact(text).redactions.map((redaction) => redaction.kind)).toEqual([kind]);
    expect(withDefaults.redact(masked)).toEqual({ text: masked, redactions: [] });
  });

  test.each(KEPT)("%s keeps: %s", (kind, text) => {
    expect(createRedactor({ kinds: [kind] }).redact(text)).toEqual({ text, redactions: [] });
  });

  test("none of them is masked unless asked for", () => {
    for (const [kind, text] of MASKED) {
      expect(redact(text).redactions.filter((redaction) => redaction.kind === kind)).toEqual([]);
    }
  });

  test("every optional kind has an example that is masked and one that is kept", () => {
    for (const kind of OPTIONAL_KINDS) {
      expect([kind, MASKED.some(([masked]) => masked === kind), KEPT.some(([kept]) => kept === kind)]).toEqual([
        kind,
        true,
        true,
      ]);
    }
  });

  test("all kinds together still give one finding for one value", () => {
    const everything = createRedactor({ kinds: [...DEFAULT_KINDS, ...OPTIONAL_KINDS] });

    for (const [kind, text, masked] of MASKED) expect([kind, everything.redact(text).text]).toEqual([kind, masked]);
  });
});

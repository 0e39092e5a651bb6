import { describe, expect, test } from "vitest";
import { redact } from "../../src/redaction/index.js";

describe("the words around a number", () => {
  test.each([
    ["a moment is no account", "account reopened at 12345678901"],
    ["nine digits beside an IFSC are its MICR code", "[IFSC:****1234] 400002003"],
    ["a hyphen ties twelve digits to more before", "1234-234123412346"],
    ["a hyphen ties twelve digits to more after", "234123412346-1234"],
    ["a label does not reach over something masked", "account [EMAIL:****] 12345678901"],
    ["a label does not reach over a full stop", "My account works. 12345678901 is the parcel"],
    ["a label does not reach over two line ends", "account\n\n12345678901"],
    ["a label does not reach over four words", "account people often ask about 12345678901"],
    ["the nearest label wins", "account with reference 12345678901"],
    ["another noun's number is not the account's", "account badge number 12345678901"],
    ["a lone 1 before three, three and four is North America's", "1 987 654 3210"],
    ["a cloud account is no bank account", "aws account 123456789012"],
    ["four and six digits without a label may be anything", "meter 9876 543210"],
    ["an email address has no quotation marks", '"neha k"@example.com'],
  ])("%s", (_why, text) => {
    expect(redact(text)).toEqual({ text, redactions: [] });
  });

  test.each([
    [
      "a label that introduces another number",
      "30112233445566, account 12345678901",
      "30112233445566, account [ACCOUNT:****8901]",
    ],
    ["a list goes on", "a/c 12345678901 and 23456789012", "a/c [ACCOUNT:****8901] and [ACCOUNT:****9012]"],
    ["a list goes on after a mask", "[ACCOUNT:****8901] and 23456789012", "[ACCOUNT:****8901] and [ACCOUNT:****9012]"],
    [
      "an IFSC, masked or not, makes an account",
      "[IFSC:****1234] 50100123456789",
      "[IFSC:****1234] [ACCOUNT:****6789]",
    ],
    ["a short form does not end the sentence", "A/c. No. 12345678901", "A/c. No. [ACCOUNT:****8901]"],
    ["a label on the line before", "Account No\n12345678901", "Account No\n[ACCOUNT:****8901]"],
    ["a name between", "account of Ramesh Kumar 12345678901", "account of Ramesh Kumar [ACCOUNT:****8901]"],
    ["a label after", "12345678901 mera khata hai", "[ACCOUNT:****8901] mera khata hai"],
    ["a name of two words in one", "WhatsApp: 9876 543210", "WhatsApp: [PHONE:****3210]"],
    ["the same after the number", "9876 543210 is my WhatsApp", "[PHONE:****3210] is my WhatsApp"],
    ["what a find frees is looked at again", "2341 2341 2346 9876 543 210", "[AADHAAR:****2346] [PHONE:****3210]"],
  ])("%s", (_why, text, masked) => {
    expect(redact(text).text).toBe(masked);
    expect(redact(masked)).toEqual({ text: masked, redactions: [] });
  });
});

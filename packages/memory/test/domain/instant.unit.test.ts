import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readInstant, readOptionalInstant } from "../../src/domain/input/instant.js";

describe("an instant", () => {
  test.each([
    ["2024-05-01T09:30:00Z", "2024-05-01T09:30:00.000Z"],
    ["2024-05-01T09:30Z", "2024-05-01T09:30:00.000Z"],
    ["2024-05-01T09:30:00.5Z", "2024-05-01T09:30:00.500Z"],
    ["2024-05-01T09:30:00,123456789Z", "2024-05-01T09:30:00.123Z"],
    ["2024-05-01T09:30:00+05:30", "2024-05-01T04:00:00.000Z"],
    ["2024-05-01T09:30:00+0530", "2024-05-01T04:00:00.000Z"],
    ["2024-05-01T00:30:00-00:45", "2024-05-01T01:15:00.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["0099-12-31T23:59:59Z", "0099-12-31T23:59:59.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("%s is %s", (given, expected) => {
    expect(readInstant(given, "capturedAt")).toBe(expected);
  });

  test("a Date is taken, also one of another realm", () => {
    const date = new Date("2024-05-01T09:30:00.123Z");

    expect(readInstant(date, "capturedAt")).toBe("2024-05-01T09:30:00.123Z");
    expect(readInstant(runInNewContext("new Date(0)"), "capturedAt")).toBe("1970-01-01T00:00:00.000Z");
  });

  test.each([
    ["no zone", "2024-05-01T09:30:00"],
    ["no time", "2024-05-01"],
    ["words", "yesterday"],
    ["an American date", "05/01/2024 09:30 Z"],
    ["30 February", "2024-02-30T00:00:00Z"],
    ["29 February of a common year", "2023-02-29T00:00:00Z"],
    ["month 13", "2024-13-01T00:00:00Z"],
    ["month 0", "2024-00-01T00:00:00Z"],
    ["day 0", "2024-01-00T00:00:00Z"],
    ["hour 24", "2024-01-01T24:00:00Z"],
    ["minute 60", "2024-01-01T00:60:00Z"],
    ["second 60", "2024-01-01T00:00:60Z"],
    ["an offset of 24 hours", "2024-01-01T00:00:00+24:00"],
    ["an offset of 60 minutes", "2024-01-01T00:00:00+01:60"],
    ["a space before", " 2024-05-01T09:30:00Z"],
    ["a line after", "2024-05-01T09:30:00Z\n"],
    ["a year of five digits", "12024-05-01T09:30:00Z"],
    ["an invalid Date", new Date(Number.NaN)],
    ["a number", 1_700_000_000_000],
    ["null", null],
    ["something that calls itself a Date", { [Symbol.toStringTag]: "Date", getTime: (): number => 0 }],
  ])("is refused where it is %s", (_case, given) => {
    expect(() => readInstant(given, "capturedAt")).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_INPUT", argument: "capturedAt" }),
    );
  });

  test.each([
    ["the year 0", "0000-12-31T23:59:59Z"],
    ["just before the year 1, by its offset", "0001-01-01T00:00:00+00:01"],
    ["just after the year 9999, by its offset", "9999-12-31T23:59:59-00:01"],
    ["a Date of the year 10000", new Date(253_402_300_800_000)],
    ["a Date before our era", new Date(-99_999_999_999_999)],
  ])("is refused where it lies in %s", (_case, given) => {
    expect(() => readInstant(given, "expiresAt")).toThrow(
      expect.objectContaining({ message: "expiresAt: must lie in the years 0001 to 9999" }),
    );
  });

  test("any Date of those years comes back as the same text", () => {
    const dates = fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, (date) => {
        expect(readInstant(date, "at")).toBe(date.toISOString());
        expect(readInstant(date.toISOString(), "at")).toBe(date.toISOString());
      }),
    );
  });

  test("may be left out only where it is optional", () => {
    expect(readOptionalInstant(undefined, "expiresAt")).toBeNull();
    expect(() => readOptionalInstant(null, "expiresAt")).toThrow(expect.objectContaining({ argument: "expiresAt" }));
  });
});

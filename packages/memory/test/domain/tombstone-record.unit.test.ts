import { describe, expect, test } from "vitest";
import { readTombstoneRecord } from "../../src/domain/input/tombstone-record.js";

const ID = "018f3c2a-7b1d-7c4e-9a5f-6b7c8d9e0f1a";
const GOOD = {
  v: 1,
  tombstoneId: ID,
  tenantKey: "acme",
  scope: "subject",
  subjectHash: "a".repeat(64),
  subjectKeyId: "k1",
  origin: "forget",
  reason: "subject_request",
  legalBasis: "dpdp_12",
  openedAt: "2024-05-01T09:30:00.123456+00:00",
  memoryIds: [ID],
  derivedIds: [],
  placementIds: [],
};

describe("an exported tombstone", () => {
  test("is read from a line or from what it says, to the microsecond", () => {
    expect(readTombstoneRecord(JSON.stringify(GOOD), "line", "acme")).toEqual(GOOD);
    expect(readTombstoneRecord(GOOD, "line", "acme")).toEqual(GOOD);
    expect(
      readTombstoneRecord({ ...GOOD, scope: "derived", subjectHash: null, subjectKeyId: null }, "line", "acme"),
    ).toMatchObject({ scope: "derived", subjectHash: null, subjectKeyId: null });
  });

  test.each<[string, readonly unknown[]]>([
    ["v", [0, 2, "1", undefined]],
    ["tombstoneId", ["Ramesh", 7, undefined]],
    ["tenantKey", ["other", "", 7, undefined]],
    ["scope", ["person", undefined]],
    ["subjectHash", [null, "Ramesh", "A".repeat(64), "a".repeat(63), undefined]],
    ["subjectKeyId", ["Key", 7, undefined]],
    ["origin", ["mistake", undefined]],
    ["reason", ["because", undefined]],
    ["legalBasis", ["GDPR Art. 17", undefined]],
    ["openedAt", ["yesterday", "2024-05-01T09:30:00", 7, null, undefined]],
    ["memoryIds", [null, "all", ["Ramesh"], undefined]],
    ["derivedIds", [[7], undefined]],
    ["placementIds", [{}, undefined]],
  ])("is refused with a wrong %s", (field, values) => {
    for (const value of values) {
      expect(() => readTombstoneRecord({ ...GOOD, [field]: value }, "line", "acme")).toThrow(
        expect.objectContaining({ code: "ERR_INVALID_INPUT", argument: expect.stringMatching(/^line/) as string }),
      );
    }
  });

  test.each(["", "{", "null", "7", '"text"', "[]"])("is refused as the line %j", (line) => {
    expect(() => readTombstoneRecord(line, "line", "acme")).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_INPUT" }),
    );
  });

  test("is refused with a field nobody knows, and nothing of it is repeated", () => {
    const read = () => readTombstoneRecord({ ...GOOD, "Ramesh 9876543210": 1 }, "line", "acme");

    expect(read).toThrow(expect.objectContaining({ code: "ERR_INVALID_INPUT" }));
    expect(read).not.toThrow(/Ramesh/);
  });
});

import { describe, expect, test } from "vitest";
import { at, readArray, readBoolean, readFields } from "../../src/domain/input/fields.js";

const NAMES = ["tenantKey", "subjectKey"] as const;
const refusal = (argument: string, problem: string) =>
  expect.objectContaining({ code: "ERR_INVALID_INPUT", message: `${argument}: ${problem}` }) as Error;

describe("the fields of an argument", () => {
  test("are read by name, and an absent one is undefined", () => {
    expect(readFields({ tenantKey: "t" }, NAMES)).toEqual({ tenantKey: "t", subjectKey: undefined });
  });

  test("are read once, so that a getter cannot answer twice", () => {
    let reads = 0;
    const input = {
      get tenantKey() {
        reads += 1;
        return "t";
      },
    };

    const fields = readFields(input, NAMES);

    expect([fields.tenantKey, fields.tenantKey, reads]).toEqual(["t", "t", 1]);
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["a string", "t"],
    ["an array", []],
    ["a function", () => 1],
  ])("are refused where the argument is %s", (_case, input) => {
    expect(() => readFields(input, NAMES)).toThrow(refusal("input", "must be an object"));
    expect(() => readFields(input, NAMES, "sources[0]")).toThrow(refusal("sources[0]", "must be an object"));
    expect(() => readFields(input, NAMES, "", "options")).toThrow(refusal("options", "must be an object"));
  });

  test.each(["subjectkey", "SubjectKey", "subject_key"])(
    "a misspelt one is refused with the right name: %s",
    (name) => {
      expect(() => readFields({ tenantKey: "t", [name]: "s" }, NAMES)).toThrow(
        refusal("input", 'has an unknown field; did you mean "subjectKey"?'),
      );
    },
  );

  test("an unknown one is refused without repeating what stands there", () => {
    expect(() => readFields({ "Ramesh Kumar": 1 }, NAMES, "inputs[2]")).toThrow(
      refusal("inputs[2]", "has an unknown field; the known ones are tenantKey, subjectKey"),
    );
  });

  test("a name from the prototype of objects is as unknown as any other", () => {
    expect(() => readFields(JSON.parse('{"__proto__": {}}'), NAMES)).toThrow(
      refusal("input", "has an unknown field; the known ones are tenantKey, subjectKey"),
    );
  });

  test("a field that throws when read is refused, and what it threw is dropped", () => {
    const input = {
      get tenantKey(): string {
        throw new Error("Ramesh");
      },
    };

    expect(() => readFields(input, NAMES)).toThrow(refusal("tenantKey", "could not be read"));
  });

  test("an object that throws when listed is refused", () => {
    const hostile = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error("Ramesh");
        },
      },
    );

    expect(() => readFields(hostile, NAMES)).toThrow(refusal("input", "could not be read"));
  });
});

describe("an array argument", () => {
  const bounds = { min: 1, max: 3 };

  test("is copied", () => {
    const given = [1, 2];
    const read = readArray(given, "items", bounds);
    given.push(3);

    expect(read).toEqual([1, 2]);
  });

  test("has its holes filled with nothing, so that they are checked like any element", () => {
    expect(readArray([, 1], "items", bounds)).toEqual([undefined, 1]);
  });

  test.each([
    ["not an array", { length: 1, 0: "a" }, "must be an array"],
    ["a string", "abc", "must be an array"],
    ["nothing", undefined, "must be an array"],
    ["empty", [], "must not be empty"],
    ["too long", [1, 2, 3, 4], "must hold at most 3 elements"],
  ])("is refused where it is %s", (_case, value, problem) => {
    expect(() => readArray(value, "items", bounds)).toThrow(refusal("items", problem));
  });

  test("is refused where its elements cannot be read", () => {
    const hostile = Object.defineProperty([1], 0, {
      get() {
        throw new Error("Ramesh");
      },
    });

    expect(() => readArray(hostile, "items", bounds)).toThrow(refusal("items", "could not be read"));
  });
});

describe("a switch", () => {
  test("is true, false, or its default", () => {
    expect([true, false, undefined].map((value) => readBoolean(value, "flag", true))).toEqual([true, false, true]);
    expect(() => readBoolean("true", "flag", true)).toThrow(refusal("flag", "must be true or false"));
  });
});

describe("a path", () => {
  test("names a field as a caller would write it", () => {
    expect([at("", "text"), at("inputs[3]", "text"), at("sources", 1)]).toEqual([
      "text",
      "inputs[3].text",
      "sources[1]",
    ]);
  });
});

import { describe, expect, test } from "vitest";
import { printable, shorten } from "../src/render/printable.js";

describe("text from outside, on a terminal", () => {
  test("cannot move the cursor, set colours, or turn the reading direction", () => {
    expect(printable("a\u001b[31mb\u0007\u202Ec\u009bd")).toBe("a\\u{1b}[31mb\\u{7}\\u{202e}c\\u{9b}d");
  });

  test("stays on one line, and is otherwise unchanged", () => {
    expect(printable("एक\nदो\tthree")).toBe("एक ⏎ दो three");
  });

  test("is shortened by characters, not by halves of one", () => {
    expect(shorten("🙂🙂🙂🙂", 3)).toBe("🙂🙂…");
    expect(shorten("किकिकि", 2)).toBe("कि…");
    expect(shorten("abc", 3)).toBe("abc");
  });
});

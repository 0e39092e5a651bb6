import { PassThrough, Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { readKeyFromStdin } from "../src/terminal/ask.js";
import { colorsFor, widthOf, type Console } from "../src/terminal/console.js";
import { Interrupt } from "../src/terminal/interrupt.js";
import { Progress } from "../src/terminal/progress.js";
import { wrap } from "../src/render/wrap.js";

function consoleWith(stdin: string | Buffer, stderr: PassThrough & { isTTY?: boolean } = new PassThrough()): Console {
  return { stdin: Readable.from([Buffer.from(stdin)]), stdout: new PassThrough(), stderr, env: {} };
}

describe("colours", () => {
  const terminal = { isTTY: true };

  test.each([
    ["a terminal has them", terminal, {}, true],
    ["a pipe has none", {}, {}, false],
    ["NO_COLOR refuses them", terminal, { NO_COLOR: "1" }, false],
    ["an empty NO_COLOR does not", terminal, { NO_COLOR: "" }, true],
    ["a dumb terminal has none", terminal, { TERM: "dumb" }, false],
    ["a build server's pipe has none", {}, { CI: "true" }, false],
  ])("%s", (_case, stream, env, coloured) => {
    expect(colorsFor(stream, env).red("x") !== "x").toBe(coloured);
  });
});

describe("the width of a line", () => {
  test.each([
    [{ isTTY: true, columns: 80 }, 80],
    [{ isTTY: true, columns: 20 }, 60],
    [{ isTTY: true, columns: 300 }, 100],
    [{ isTTY: true, columns: 0 }, 80],
    [{}, 100],
  ])("of %j is %i", (stream, width) => {
    expect(widthOf(stream)).toBe(width);
  });

  test("is kept by breaking at spaces; a longer word stays whole", () => {
    const text = "one two three incomprehensibilities four";

    expect(wrap(text, { width: 12, lead: "- ", indent: "  " })).toBe(
      "- one two\n  three\n  incomprehensibilities\n  four",
    );
  });
});

describe("the subject key on standard input", () => {
  const interrupt = new Interrupt();

  test.each([
    ["customer:1\n", "customer:1"],
    ["customer:1\r\n", "customer:1"],
    ["customer:1", "customer:1"],
    [" customer:1 \n", " customer:1 "],
    ["two\nlines\n\n", "two\nlines\n"],
    ["ग्राहक:१\n", "ग्राहक:१"],
  ])("%j is the key %j", async (given, key) => {
    expect(await readKeyFromStdin(consoleWith(given), interrupt)).toBe(key);
  });

  test("has to be there, and to be short enough to be one", async () => {
    await expect(readKeyFromStdin(consoleWith("\n"), interrupt)).rejects.toThrow("held no subject key");
    await expect(readKeyFromStdin(consoleWith("x".repeat(5_000)), interrupt)).rejects.toThrow(
      "too long to be a subject key",
    );
  });
});

describe("progress", () => {
  test("is one line where nobody watches", async () => {
    const stderr = new PassThrough();
    await new Progress(consoleWith("", stderr)).during("Remembering messages", 2_000, (advance) => {
      advance(500);
      return Promise.resolve();
    });

    expect(String(stderr.read())).toBe("Remembering messages (2,000) …\n");
  });
});

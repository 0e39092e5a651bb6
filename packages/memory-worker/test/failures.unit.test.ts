import { describe, expect, test } from "vitest";
import { pauseAfter } from "../src/backoff.js";
import { callWithin } from "../src/call-within.js";
import { byStatus, toSinkError } from "../src/classify-failure.js";
import { SinkError } from "../src/index.js";

describe("what a driver throws", () => {
  test.each([
    [{ status: 401 }, "auth"],
    [{ statusCode: 429 }, "rate_limited"],
    [{ $metadata: { httpStatusCode: 503 } }, "unavailable"],
    [{ meta: { statusCode: 404 } }, "not_found"],
    [{ response: { status: 400 } }, "refused"],
    [{ code: "ECONNREFUSED" }, "unavailable"],
    [{ code: "ETIMEDOUT" }, "timeout"],
    [{ code: "EACCES" }, "refused"],
    [{ code: "42P01" }, "not_found"],
    [{ code: "42501" }, "auth"],
    [{ code: "57014" }, "timeout"],
    [{ code: "08006" }, "unavailable"],
    [{ code: "23503" }, "refused"],
    [{ name: "AbortError" }, "timeout"],
    [{ name: "ThrottlingException" }, "rate_limited"],
    [{ name: "NoSuchBucket" }, "not_found"],
    [{ name: "ChromaConnectionError" }, "unavailable"],
    [{ status: 200 }, "other"],
    ["a string", "other"],
    [null, "other"],
    [new Error("ramesh@example.org is not here"), "other"],
  ])("%j is %s", (thrown, code) => {
    const error = toSinkError(thrown);

    expect(error.attemptCode).toBe(code);
    expect(error.code).toBe(`ERR_SINK_${code.toUpperCase()}`);
    expect(JSON.stringify(error) + error.message + String(error.cause)).not.toContain("ramesh");
    expect(error.help).not.toBe("");
  });

  test("a status that is no failure says nothing", () => {
    expect([byStatus(undefined), byStatus(204), byStatus(302)]).toEqual([undefined, undefined, undefined]);
  });
});

describe("one call to a sink", () => {
  test("ends in time although the sink does not, and tells it by its signal", async () => {
    let aborted = false;
    const hangs = callWithin(0.01, ({ signal }) => {
      signal.addEventListener("abort", () => (aborted = true));
      return new Promise(() => undefined);
    });

    await expect(hangs).rejects.toMatchObject({ code: "ERR_SINK_TIMEOUT" });
    expect(aborted).toBe(true);
  });

  test("what is thrown at once, or as a SinkError, comes out as a SinkError", async () => {
    const throws = callWithin(1, () => {
      throw Object.assign(new Error("no"), { code: "EPIPE" });
    });
    const typed = callWithin(1, () => Promise.reject(new SinkError("rate_limited", { retryAfterSeconds: 9 })));

    await expect(throws).rejects.toMatchObject({ code: "ERR_SINK_UNAVAILABLE" });
    await expect(typed).rejects.toMatchObject({ retryAfterSeconds: 9 });
  });
});

describe("the pause before the next try", () => {
  const options = { baseSeconds: 2, maxSeconds: 100 };

  test("doubles up to its bound, and is drawn from the upper half", () => {
    const longest = [1, 2, 3, 7, 99].map((tries) => pauseAfter(tries, options, () => 1));
    const shortest = [1, 2, 3, 7, 99].map((tries) => pauseAfter(tries, options, () => 0));

    expect(longest).toEqual([2, 4, 8, 100, 100]);
    expect(shortest).toEqual([1, 2, 4, 50, 50]);
  });

  test("is not shorter than the sink asked for", () => {
    expect(pauseAfter(1, options, () => 1, 60)).toBe(60);
  });
});

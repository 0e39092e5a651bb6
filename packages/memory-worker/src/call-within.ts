import { toSinkError } from "./classify-failure.js";
import type { SinkCall } from "./sink.js";
import { SinkError } from "./sink-error.js";

/**
 * Runs one call to a sink, never longer than so many seconds, whether or not the sink heeds its signal.
 *
 * @throws SinkError, whatever was thrown
 */
export async function callWithin<Result>(seconds: number, call: (call: SinkCall) => Promise<Result>): Promise<Result> {
  const limit = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new SinkError("timeout"));
      limit.abort();
    }, seconds * 1000);
  });
  const answer = (async () => call({ signal: limit.signal }))();
  // What the sink says after the time is over, or never, interests nobody.
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, tooLong]);
  } catch (thrown) {
    throw toSinkError(thrown);
  } finally {
    clearTimeout(timer);
  }
}

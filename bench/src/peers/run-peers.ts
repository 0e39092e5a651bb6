import type { Options } from "../options.js";
import type { Recorder } from "../recorder.js";

export async function runPeers(_: Options, recorder: Recorder): Promise<void> {
  recorder.progress("peers");
}

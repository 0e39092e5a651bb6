import { USAGE, readOptions } from "./options.js";
import { Recorder } from "./recorder.js";
import { runPeers } from "./peers/run-peers.js";
import { runCases } from "./runner.js";

/** Answers whether everything that was asked for was measured. */
export async function main(args: readonly string[]): Promise<boolean> {
  if (args.includes("--help")) {
    process.stdout.write(`${USAGE}\n`);
    return true;
  }
  const options = readOptions(args);
  const recorder = new Recorder(options);
  if (options.peers) {
    await runPeers(options, recorder);
  } else {
    await runCases(options, recorder);
  }
  recorder.end();
  return !recorder.failed;
}

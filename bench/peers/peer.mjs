// One peer in a process of its own. It reads a line of JSON for each thing to do, and answers each with a line: how long
// it took, or why it could not be done. What the peer itself prints goes to the standard error.
import { createInterface } from "node:readline";

console.log = console.info = console.debug = console.error;

const [name, settings] = process.argv.slice(2);
let peer;

for await (const line of createInterface({ input: process.stdin })) {
  const { op, user, texts, query } = JSON.parse(line);
  let answer;
  try {
    const begun = performance.now();
    const value = await does(op, user, texts, query);
    answer = { ms: performance.now() - begun, value };
  } catch (error) {
    answer = { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  if (op === "close") process.exit(0);
}

async function does(op, user, texts, query) {
  switch (op) {
    case "open":
      peer = await (await import(`./${name}.mjs`)).open(JSON.parse(settings));
      return undefined;
    case "put":
      return peer.put(user, texts);
    case "search":
      return peer.search(user, query);
    case "erase":
      return peer.erase(user).then(() => undefined);
    case "files":
      return peer.files?.() ?? [];
    case "close":
      return peer.close();
    default:
      throw new Error(`no such op: ${op}`);
  }
}

import { openBench } from "./server.js";
import { writing } from "./cases/writing.js";
import { deriving } from "./cases/deriving.js";
import { erasing } from "./cases/erasing.js";
import type { Line } from "./line.js";

export async function main(args: readonly string[]): Promise<void> {
  const only = args.filter((arg) => !arg.startsWith("-"));
  const rounds = args.includes("--quick") ? 5 : 11;
  const bench = await openBench();
  console.log(`PostgreSQL ${bench.version}`);
  try {
    for (const [name, run] of Object.entries({ writing, deriving, erasing })) {
      if (only.length > 0 && !only.includes(name)) continue;
      const lines: readonly Line[] = await run(bench, rounds);
      console.table(lines);
    }
  } finally {
    await bench.remove();
  }
}

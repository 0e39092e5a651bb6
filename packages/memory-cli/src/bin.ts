#!/usr/bin/env node
import process from "node:process";
import { main } from "./main.js";

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // Whoever read our output has gone (`| head`). The work goes on to a whole end; only the telling stops.
    if (error.code !== "EPIPE") throw error;
  });
}

process.exitCode = await main(process.argv.slice(2), process);

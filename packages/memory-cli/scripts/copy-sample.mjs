/** Puts the sample conversation beside the compiled command, so that an installed package has it too. */
import { copyFileSync, mkdirSync } from "node:fs";

const target = new URL("../dist/sample/", import.meta.url);
mkdirSync(target, { recursive: true });
copyFileSync(
  new URL("../../../examples/support-messages.jsonl", import.meta.url),
  new URL("support-messages.jsonl", target),
);

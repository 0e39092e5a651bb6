import { fileURLToPath } from "node:url";

/** The conversation that ships with the command: invented people, invented messages, checksum-valid identifiers. */
export const SAMPLE = {
  path: fileURLToPath(new URL("../sample/support-messages.jsonl", import.meta.url)),
  subjectKey: "customer:ramesh-iyer",
  question: "card reader refund",
} as const;

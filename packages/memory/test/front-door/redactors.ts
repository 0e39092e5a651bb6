import type { RedactorPort } from "../../src/redaction/redactor-port.js";

/** Masks the word "secret", so that a test can see what was redacted and what was not. */
export const maskSecret: RedactorPort = {
  redact(text) {
    const start = text.indexOf("secret");
    if (start < 0) return { text, redactions: [] };
    return {
      text: text.replace("secret", "[MASKED]"),
      redactions: [{ kind: "word", start, end: start + 6, replacement: "[MASKED]" }],
    };
  },
};

export function aRedactorThatAnswers(answer: unknown): RedactorPort {
  return { redact: () => answer as never };
}

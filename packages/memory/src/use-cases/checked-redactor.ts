import { storageProblem } from "../domain/input/strings.js";
import { InvalidInputError } from "../errors.js";
import { applyRedactor } from "../redaction/index.js";
import type { RedactorPort } from "../redaction/redactor-port.js";

/**
 * A redactor whose every answer is checked. One that throws, answers something malformed or answers later stores
 * nothing: what it would have masked is unknown. Nothing of its own error is kept, because it may quote the text.
 *
 * Its `redact` throws `InvalidInputError` with argument `redactor`, and nothing else.
 */
export function checkedRedactor(redactor: RedactorPort): RedactorPort {
  const synchronous: RedactorPort = { redact: (text) => notLater(redactor.redact(text)) };
  return {
    redact(text) {
      const result = readable(() => applyRedactor(synchronous, text));
      if (storageProblem(result.text) !== null) throw redactorError("answered with a text that cannot be stored");
      return result;
    },
  };
}

// Nobody will wait for a promise; without this its failure would end the process.
function notLater<Answer>(answer: Answer): Answer {
  if (answer instanceof Promise) answer.catch(() => undefined);
  return answer;
}

function readable<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof InvalidInputError ? error : redactorError("gave an answer that could not be read");
  }
}

function redactorError(problem: string): InvalidInputError {
  return new InvalidInputError("redactor", problem, "Correct the redactor; nothing was stored or sent.");
}

import { readOneOf } from "../domain/input/codes.js";
import { readFields } from "../domain/input/fields.js";
import { readOptionalInstant } from "../domain/input/instant.js";
import { readKey } from "../domain/input/strings.js";
import { HOLD_CODES, type HoldCode } from "../domain/restriction.js";
import { storeSubject, type MemoryContext } from "./context.js";
import { underEveryKey } from "./under-every-key.js";

/** Whose rows may not be erased, and why. */
export interface PlaceHoldInput {
  readonly tenantKey: string;
  readonly subjectKey: string;
  readonly code: HoldCode;
  /** Until when; without it the hold lasts until it is released. An instant that is over holds nothing. */
  readonly until?: Date | string;
}

export async function placeHold(context: MemoryContext, input: PlaceHoldInput): Promise<{ readonly holdId: string }> {
  const fields = readFields(input, ["tenantKey", "subjectKey", "code", "until"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const subjectKey = readKey(fields.subjectKey, "subjectKey");
  const code = readOneOf(fields.code, "code", HOLD_CODES);
  const until = readOptionalInstant(fields.until, "until");
  return underEveryKey(context, tenantKey, (keyed) =>
    keyed.store.restrictions.placeHold(tenantKey, storeSubject(keyed, tenantKey, subjectKey), code, until),
  );
}

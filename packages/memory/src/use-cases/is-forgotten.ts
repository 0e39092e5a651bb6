import { at, readArray, readFields } from "../domain/input/fields.js";
import { readId } from "../domain/input/ids.js";
import { readKey, readOptionalKey, readText } from "../domain/input/strings.js";
import { InvalidInputError } from "../errors.js";
import type { MemoryContext } from "./context.js";
import { underEveryKey } from "./under-every-key.js";

/** What a host's own job is about to use. */
export interface IsForgottenInput {
  readonly tenantKey: string;
  /** Up to 10,000. */
  readonly memoryIds?: readonly string[];
  /** Up to 10,000. */
  readonly derivedIds?: readonly string[];
  /** Up to 1,000 texts; a short one only together with the person it is filed under. Needs a pepper. */
  readonly contents?: readonly { readonly subjectKey?: string; readonly text: string }[];
}

/** What of it a tombstone covers. */
export interface IsForgottenResult {
  readonly memoryIds: readonly string[];
  readonly derivedIds: readonly string[];
  /** Positions in `contents`. */
  readonly contents: readonly number[];
}

interface Content {
  readonly subjectKeys: readonly string[];
  /** As it would be stored. */
  readonly text: string;
}

const MAX_IDS = 10_000;
const MAX_CONTENTS = 1000;

export async function isForgotten(context: MemoryContext, input: IsForgottenInput): Promise<IsForgottenResult> {
  const fields = readFields(input, ["tenantKey", "memoryIds", "derivedIds", "contents"]);
  const tenantKey = readKey(fields.tenantKey, "tenantKey");
  const memoryIds = readIds(fields.memoryIds, "memoryIds");
  const derivedIds = readIds(fields.derivedIds, "derivedIds");
  const contents = readContents(context, tenantKey, fields.contents);

  const covered = await underEveryKey(context, tenantKey, (keyed) =>
    keyed.store.upkeep.covered(tenantKey, {
      ids: [...new Set([...memoryIds, ...derivedIds])],
      tags: contents.map(({ subjectKeys, text }) => keyed.keyring.contentTags(tenantKey, subjectKeys, text)),
      keys: contents.length === 0 ? null : keyed.keyring.keys,
    }),
  );
  const forgotten = new Set(covered.ids);
  return {
    memoryIds: memoryIds.filter((id) => forgotten.has(id)),
    derivedIds: derivedIds.filter((id) => forgotten.has(id)),
    contents: covered.contents,
  };
}

function readIds(value: unknown, path: string): readonly string[] {
  if (value === undefined) return [];
  return readArray(value, path, { min: 0, max: MAX_IDS }).map((id, index) => readId(id, at(path, index)));
}

// What cannot be told is refused: an answer without it would be taken for "not forgotten".
function readContents(context: MemoryContext, tenantKey: string, value: unknown): readonly Content[] {
  if (value === undefined) return [];
  const elements = readArray(value, "contents", { min: 0, max: MAX_CONTENTS });
  if (elements.length > 0 && !context.keyring.keyed) {
    throw new InvalidInputError(
      "contents",
      "cannot be looked up without a pepper",
      "Set `subjectHashPepper`: erased texts are known by keyed tags only. Or ask by ids.",
    );
  }
  return elements.map((element, index) => {
    const place = at("contents", index);
    const fields = readFields(element, ["subjectKey", "text"], place);
    const subjectKey = readOptionalKey(fields.subjectKey, at(place, "subjectKey"));
    const text = context.redactor.redact(readText(fields.text, at(place, "text"), context.maxTextBytes)).text;
    const subjectKeys = subjectKey === null ? [] : [subjectKey];
    if (context.keyring.contentTags(tenantKey, subjectKeys, text).length === 0) {
      throw new InvalidInputError(at(place, "subjectKey"), "is required for a text under 40 characters");
    }
    return { subjectKeys, text };
  });
}

import { InvalidInputError } from "@demystify/memory";
import { byStatus } from "../classify-failure.js";
import { tagOf, type Copy, type CopyTag } from "../copy.js";
import { SinkError } from "../sink-error.js";
import type { Sink, SinkCall } from "../sink.js";
import { signRequest } from "./http-signature.js";

/** A system behind an endpoint of its own. */
export interface HttpSinkOptions {
  readonly name: string;
  /** One address for everything; the body says what is asked. `https:`, or `http:` to this machine. */
  readonly url: string;
  /** What requests are signed with, 32 bytes or more; see `isSignedRequest`. */
  readonly secret: string;
  /** Whether the endpoint answers `find_by_tag`: with it the sink reaches `unfindable`, without it `absent`. */
  readonly findsByTag?: boolean;
  /** Whether the endpoint answers `plant`, for the positive control. */
  readonly plants?: boolean;
  /** An entry that is always there: a ref that must be shown, where nothing can be planted. */
  readonly standingRef?: string;
  /** How far its reads may be behind its deletes. */
  readonly settleSeconds?: number;
  readonly fetch?: typeof globalThis.fetch;
  /** For tests. */
  readonly now?: () => Date;
}

/**
 * Every request is a signed POST of `{ action, tenantTag, placementId, ref, kind }`, so that no ref stands in an
 * address that logs keep:
 *
 * | action | answer |
 * | --- | --- |
 * | `destroy` | 200 or 204: done; 202: it will be, and `find` says when |
 * | `find` | 200 `{ "state": "present" }` or `{ "state": "absent" }` |
 * | `find_by_tag` | 200 `{ "refs": […] }` |
 * | `plant` | 200 `{ "ref": "…" }`: an entry without content was stored under the tag |
 *
 * Anything else is a failure: an answer that is not understood is never taken for an absence. What it says is as true
 * as the system behind it.
 *
 * @throws InvalidInputError
 */
export function httpSink(options: HttpSinkOptions): Sink {
  const { name, secret, findsByTag, plants, standingRef, settleSeconds } = options;
  mustBeSafe(options);

  const post = async (action: string, fields: Readonly<Record<string, string>>, { signal }: SinkCall) => {
    const body = JSON.stringify({ action, ...fields });
    const timestamp = String(Math.floor((options.now?.() ?? new Date()).getTime() / 1000));
    const response = await (options.fetch ?? globalThis.fetch)(options.url, {
      method: "POST",
      redirect: "error",
      headers: {
        "content-type": "application/json",
        "x-demystify-timestamp": timestamp,
        "x-demystify-signature": signRequest({ secret, timestamp, body }),
      },
      body,
      signal,
    });
    const code = byStatus(response.status);
    if (code !== undefined) {
      await response.body?.cancel();
      throw new SinkError(code, { retryAfterSeconds: retryAfter(response.headers.get("retry-after")) });
    }
    return response;
  };
  const ask = async (action: string, fields: Readonly<Record<string, string>>, call: SinkCall) => {
    const response = await post(action, fields, call);
    if (response.status !== 200) throw new SinkError("other");
    try {
      return (await response.json()) as Readonly<Record<string, unknown>>;
    } catch {
      throw new SinkError("other");
    }
  };
  const fieldsOf = ({ ref, kind, ...copy }: Copy) => ({ ...tagOf(copy), ref, kind });

  return {
    name,
    reaches: findsByTag === true ? "unfindable" : "absent",
    whyNotMore: "It is what the system behind the endpoint says; nothing here can see its storage.",
    ...(settleSeconds === undefined ? {} : { settleSeconds }),
    async destroy(copy, call) {
      const response = await post("destroy", fieldsOf(copy), call);
      await response.body?.cancel();
      if (response.status === 202) return "requested";
      if (response.status === 200 || response.status === 204) return "acknowledged";
      throw new SinkError("other");
    },
    async readBackById(copy, call) {
      const state = (await ask("find", fieldsOf(copy), call))["state"];
      if (state !== "present" && state !== "absent") throw new SinkError("other");
      return state;
    },
    ...(findsByTag === true
      ? {
          async readBackByTag({ placementId, tenantTag }: CopyTag, call: SinkCall) {
            const { refs } = await ask("find_by_tag", { placementId, tenantTag }, call);
            if (!Array.isArray(refs) || !refs.every((ref) => typeof ref === "string")) throw new SinkError("other");
            return refs;
          },
        }
      : {}),
    ...(plants === true
      ? {
          async plant({ placementId, tenantTag }: CopyTag, call: SinkCall) {
            const { ref } = await ask("plant", { placementId, tenantTag }, call);
            if (typeof ref !== "string") throw new SinkError("other");
            return ref;
          },
        }
      : {}),
    ...(standingRef === undefined
      ? {}
      : { standingControl: { tenantKey: "standing", placementId: STANDING, ref: standingRef, kind: "control" } }),
  };
}

const STANDING = "00000000-0000-7000-8000-000000000000";

function mustBeSafe({ url, secret }: HttpSinkOptions): void {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new InvalidInputError("url", "must be an absolute address");
  }
  const local = ["localhost", "127.0.0.1", "[::1]"].includes(parsed.hostname);
  if (parsed.protocol !== "https:" && !(parsed.protocol === "http:" && local)) {
    throw new InvalidInputError("url", "must be https, because a ref may be personal");
  }
  if (Buffer.byteLength(secret) < 32) throw new InvalidInputError("secret", "must have 32 bytes or more");
}

function retryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}

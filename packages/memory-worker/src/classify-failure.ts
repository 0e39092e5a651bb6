import type { AttemptCode } from "@demystify/memory";
import { SinkError } from "./sink-error.js";

/**
 * Whatever a driver threw, as a `SinkError`: by HTTP status, by SQLSTATE, by the error code of the operating system or
 * by the name of the error. Its text is not looked at, and nothing of it is kept.
 */
export function toSinkError(thrown: unknown): SinkError {
  if (thrown instanceof SinkError) return thrown;
  const error = typeof thrown === "object" && thrown !== null ? (thrown as Readonly<Record<string, unknown>>) : {};
  return new SinkError(byStatus(statusOf(error)) ?? byCode(error["code"]) ?? byName(nameOf(error)) ?? "other");
}

/** The attempt code of an HTTP status; `undefined` where the status is no failure or says nothing. */
export function byStatus(status: number | undefined): AttemptCode | undefined {
  if (status === undefined || status < 400) return undefined;
  if (status === 401 || status === 403 || status === 407) return "auth";
  if (status === 404 || status === 410) return "not_found";
  if (status === 408 || status === 504) return "timeout";
  if (status === 429) return "rate_limited";
  return status < 500 ? "refused" : "unavailable";
}

// Where the usual clients put the status of the response.
function statusOf(error: Readonly<Record<string, unknown>>): number | undefined {
  const metadata = error["$metadata"] as Readonly<Record<string, unknown>> | undefined;
  const meta = error["meta"] as Readonly<Record<string, unknown>> | undefined;
  const response = error["response"] as Readonly<Record<string, unknown>> | undefined;
  const candidates = [
    error["status"],
    error["statusCode"],
    metadata?.["httpStatusCode"],
    meta?.["statusCode"],
    response?.["status"],
  ];
  return candidates.find((status): status is number => typeof status === "number");
}

function byCode(code: unknown): AttemptCode | undefined {
  if (typeof code !== "string") return undefined;
  return SYSTEM_CODES[code] ?? (/^[0-9A-Z]{5}$/.test(code) ? bySqlState(code) : undefined);
}

const SYSTEM_CODES: Readonly<Record<string, AttemptCode>> = {
  ECONNREFUSED: "unavailable",
  ECONNRESET: "unavailable",
  EPIPE: "unavailable",
  ENOTFOUND: "unavailable",
  EAI_AGAIN: "unavailable",
  EHOSTUNREACH: "unavailable",
  ENETUNREACH: "unavailable",
  EIO: "unavailable",
  ENOSPC: "unavailable",
  ETIMEDOUT: "timeout",
  ESOCKETTIMEDOUT: "timeout",
  ABORT_ERR: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  EACCES: "refused",
  EPERM: "refused",
  EROFS: "refused",
  EBUSY: "refused",
  ENOENT: "not_found",
  ENOTDIR: "not_found",
};

function bySqlState(state: string): AttemptCode {
  if (state.startsWith("08") || state.startsWith("57P") || state.startsWith("53")) return "unavailable";
  if (state.startsWith("28") || state === "42501") return "auth";
  if (state === "57014" || state === "55P03") return "timeout";
  if (state === "42P01" || state === "3D000" || state === "3F000" || state === "42703") return "not_found";
  if (state.startsWith("40")) return "unavailable";
  return "refused";
}

function nameOf(error: Readonly<Record<string, unknown>>): string {
  const name = error["name"];
  return typeof name === "string" ? name : "";
}

const NAMES: readonly (readonly [RegExp, AttemptCode])[] = [
  [/timeout|abort/i, "timeout"],
  [/throttl|toomany|slowdown|ratelimit/i, "rate_limited"],
  [/accessdenied|forbidden|unauthori[sz]ed|authenticat|credential/i, "auth"],
  [/nosuch|notfound/i, "not_found"],
  [/connection|network|unavailable|socket|clientclosed|clientoffline/i, "unavailable"],
];

function byName(name: string): AttemptCode | undefined {
  return NAMES.find(([pattern]) => pattern.test(name))?.[1];
}

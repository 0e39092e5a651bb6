import { randomUUID } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { httpSink, isSignedRequest, signRequest } from "../../src/index.js";
import { sinkConformanceCases } from "../../src/testing/index.js";
import { Shelf } from "../support/shelf.js";

const SECRET = "a secret of more than thirty-two bytes";
const call = { signal: new AbortController().signal };

interface Asked {
  readonly action: string;
  readonly placementId: string;
  readonly tenantTag: string;
  readonly ref: string;
}

describe("the http sink, on an endpoint of this process", () => {
  const shelf = new Shelf();
  /** What the endpoint does instead, if anything. */
  let instead: ((response: ServerResponse) => void) | undefined;
  let server: Server;
  let url: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        const timestamp = String(request.headers["x-demystify-timestamp"]);
        const signature = String(request.headers["x-demystify-signature"]);
        if (!isSignedRequest({ secret: SECRET, timestamp, signature, body })) response.writeHead(401).end();
        else if (instead !== undefined) instead(response);
        else answer(JSON.parse(body) as Asked, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/erase`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    instead = undefined;
  });

  function answer(asked: Asked, response: ServerResponse): void {
    const json = (value: unknown) => response.writeHead(200).end(JSON.stringify(value));
    switch (asked.action) {
      case "destroy":
        shelf.remove(asked);
        return void response.writeHead(204).end();
      case "find":
        return void json({ state: shelf.entries.has(asked.ref) ? "present" : "absent" });
      case "find_by_tag":
        return void json({ refs: shelf.tagged(asked.placementId) });
      default:
        return void json({ ref: shelf.write(asked) });
    }
  }

  const sink = () => httpSink({ name: "crm", url, secret: SECRET, findsByTag: true, plants: true });
  const copy = () => ({ tenantKey: "acme", placementId: randomUUID(), ref: "contact of ramesh", kind: "contact" });

  const cases = sinkConformanceCases({
    createSink: () => sink(),
    write: async (_sink, tag, text) => shelf.write(tag, text),
  });
  for (const { name, run } of cases) test(name, run);

  test("202 is a request and not an end", async () => {
    instead = (response) => response.writeHead(202).end();

    expect(await sink().destroy(copy(), call)).toBe("requested");
  });

  test.each([
    ["401", (response: ServerResponse) => response.writeHead(401).end(), "ERR_SINK_AUTH"],
    ["404", (response: ServerResponse) => response.writeHead(404).end(), "ERR_SINK_NOT_FOUND"],
    ["409", (response: ServerResponse) => response.writeHead(409).end(), "ERR_SINK_REFUSED"],
    ["500", (response: ServerResponse) => response.writeHead(500).end("no such contact"), "ERR_SINK_UNAVAILABLE"],
    ["504", (response: ServerResponse) => response.writeHead(504).end(), "ERR_SINK_TIMEOUT"],
    ["a page", (response: ServerResponse) => response.writeHead(200).end("<html>signed out</html>"), "ERR_SINK_OTHER"],
    ["an empty object", (response: ServerResponse) => response.writeHead(200).end("{}"), "ERR_SINK_OTHER"],
    ["204", (response: ServerResponse) => response.writeHead(204).end(), "ERR_SINK_OTHER"],
  ])("an answer that is not understood (%s) is never taken for an absence", async (_what, reply, code) => {
    instead = reply;

    await expect(sink().readBackById?.(copy(), call)).rejects.toMatchObject({ code });
    await expect(sink().readBackByTag?.({ placementId: "p", tenantTag: "t" }, call)).rejects.toMatchObject({ code });
  });

  test("429 says how long to wait", async () => {
    instead = (response) => response.writeHead(429, { "retry-after": "17" }).end();

    await expect(sink().destroy(copy(), call)).rejects.toMatchObject({
      code: "ERR_SINK_RATE_LIMITED",
      retryAfterSeconds: 17,
    });
  });

  test("a redirect is not followed: the body would go where nobody meant it to", async () => {
    instead = (response) => {
      instead = (elsewhere) => elsewhere.writeHead(204).end();
      response.writeHead(307, { location: url }).end();
    };

    await expect(sink().destroy(copy(), call)).rejects.toThrow();
  });

  test("an endpoint of another secret refuses, and no ref is in an error", async () => {
    const other = httpSink({ name: "crm", url, secret: "another secret, also longer than 32 bytes" });

    const refusal = await other.destroy(copy(), call).catch((thrown: unknown) => thrown);

    expect(refusal).toMatchObject({ code: "ERR_SINK_AUTH" });
    expect(JSON.stringify(refusal)).not.toContain("ramesh");
  });

  test("a signature is of one body, one time and one secret", () => {
    const signed = { secret: SECRET, timestamp: "1000", body: "{}" };
    const signature = signRequest(signed);
    const now = new Date(1_000_000);

    expect(isSignedRequest({ ...signed, signature, now })).toBe(true);
    expect(isSignedRequest({ ...signed, body: "{ }", signature, now })).toBe(false);
    expect(isSignedRequest({ ...signed, timestamp: "1001", signature, now })).toBe(false);
    expect(isSignedRequest({ ...signed, signature, now: new Date(1_301_000) })).toBe(false);
    expect(
      isSignedRequest({ ...signed, timestamp: "soon", signature: signRequest({ ...signed, timestamp: "soon" }), now }),
    ).toBe(false);
    expect(isSignedRequest({ ...signed, signature: "v1=", now })).toBe(false);
  });

  test.each([
    ["http://crm.example/erase", SECRET],
    ["ftp://crm.example/erase", SECRET],
    ["nonsense", SECRET],
    ["https://crm.example/erase", "short"],
  ])("%s with the secret %j is refused", (address, secret) => {
    expect(() => httpSink({ name: "crm", url: address, secret })).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_INPUT" }),
    );
  });
});

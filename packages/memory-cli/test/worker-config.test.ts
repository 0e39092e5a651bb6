import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isSignedRequest } from "@demystify/memory-worker";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { runCli } from "./support/cli.js";
import { temporaryFolder } from "./support/input.js";
import { linesOf } from "./support/run-main.js";
import { describeOnServer, PEPPER, type Given } from "./support/server-suite.js";

const folder = temporaryFolder();
const SECRET = "a secret of more than thirty-two bytes";
const SECONDS = 1_000;

/** A search service behind an address: entries by ref, with the id of their placement. */
class Endpoint {
  readonly entries = new Map<string, string>();
  readonly refused: string[] = [];
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const timestamp = String(request.headers["x-demystify-timestamp"]);
      const signature = String(request.headers["x-demystify-signature"]);
      if (isSignedRequest({ secret: SECRET, timestamp, signature, body })) {
        const answer = this.#answer(JSON.parse(body) as Asked);
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
      } else {
        this.refused.push(String(request.url));
        response.writeHead(401).end();
      }
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}/erase`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer({ action, ref, placementId }: Asked): object {
    const tagged = [...this.entries].filter(([, id]) => id === placementId).map(([at]) => at);
    switch (action) {
      case "destroy":
        for (const at of [ref, ...tagged]) this.entries.delete(at);
        return {};
      case "find":
        return { state: this.entries.has(ref) ? "present" : "absent" };
      case "find_by_tag":
        return { refs: tagged };
      default:
        this.entries.set(`planted ${placementId}`, placementId);
        return { ref: `planted ${placementId}` };
    }
  }
}

interface Asked {
  readonly action: string;
  readonly ref: string;
  readonly placementId: string;
}

/** A person whose erasure waits for a copy behind the endpoint. */
async function forgottenWithCopy(given: Given, endpoint: Endpoint) {
  const tenant = given.tenant();
  const { memory, tenantKey } = tenant;
  const { memory: row } = await memory.remember({ tenantKey, subjectKey: "ramesh", text: "copied to the search" });
  const sources = [{ sourceKind: "memory", sourceId: row.memoryId }] as const;
  const ref = `doc-of-${tenantKey}`;
  const { placement } = await memory.recordPlacement({ tenantKey, sink: "search", ref, kind: "doc", sources });
  endpoint.entries.set(ref, placement.placementId);
  await tenant.cli(["forget", "--yes"], { input: "ramesh" });
  return { ...tenant, ref };
}

function configOf(url: string, more: object = {}): string {
  const config = join(mkdtempSync(join(folder, "config-")), "worker.json");
  const sink = { type: "http", name: "search", url, secretEnv: "SEARCH_SECRET", findsByTag: true, plants: true };
  writeFileSync(config, JSON.stringify({ sinks: [sink], ...more }));
  return config;
}

describeOnServer("a worker process with an http sink of a JSON configuration", (given) => {
  const endpoint = new Endpoint();
  let url = "";
  beforeAll(async () => {
    url = await endpoint.listen();
  });
  afterAll(() => endpoint.close());
  beforeEach(() => {
    endpoint.entries.clear();
    endpoint.refused.length = 0;
  });
  const environment = (tenantKey: string, secret = SECRET) => ({
    DATABASE_URL: given.appUrl,
    DEMYSTIFY_MEMORY_TENANT: tenantKey,
    DEMYSTIFY_MEMORY_PEPPER: PEPPER,
    SEARCH_SECRET: secret,
  });

  test(
    "removes the copy by signed requests, looks, and completes the erasure",
    async () => {
      const { tenantKey } = await forgottenWithCopy(given, endpoint);

      const worked = await runCli(["worker", "--once", "--json", "--config", configOf(url)], {
        env: environment(tenantKey),
      });

      expect(worked.code).toBe(0);
      expect(linesOf(worked)).toContainEqual(
        expect.objectContaining({
          event: expect.objectContaining({ type: "copy_confirmed", proof: "unfindable" }) as unknown,
        }),
      );
      expect(linesOf(worked).at(-1)).toMatchObject({ report: { confirmed: 1, completed: 1 } });
      expect(endpoint.entries.size).toBe(0);
      expect(endpoint.refused).toEqual([]);
    },
    30 * SECONDS,
  );

  test(
    "with another secret is turned away, confirms nothing, and ends with 4 without naming the copy or the secret",
    async () => {
      const { tenantKey, ref } = await forgottenWithCopy(given, endpoint);
      const wrong = "another secret of thirty-two bytes or more";

      const failed = await runCli(["worker", "--once", "--config", configOf(url)], {
        env: environment(tenantKey, wrong),
      });

      expect(failed.code).toBe(4);
      expect(failed.stderr).toContain("code=auth");
      expect(failed.stdout + failed.stderr).not.toContain(ref);
      expect(failed.stdout + failed.stderr).not.toContain(wrong);
      expect(endpoint.entries.has(ref)).toBe(true);
      expect(endpoint.refused.length).toBeGreaterThan(0);
    },
    30 * SECONDS,
  );

  test.each([
    ["an address that is not encrypted", "http://search.example/erase", SECRET, "must be https"],
    ["a secret that is too short", "https://search.example/erase", "short", "32 bytes or more"],
    ["no secret", "https://search.example/erase", "", "SEARCH_SECRET is not set"],
  ])(
    "is refused with 2 for %s",
    async (_what, address, secret, expected) => {
      const refused = await runCli(["worker", "--once", "--config", configOf(address)], {
        env: environment("acme", secret),
      });

      expect(refused).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toContain(expected);
      expect(refused.stderr).not.toContain("short\n");
    },
    30 * SECONDS,
  );
});

describeOnServer("an installation that acts for the session's tenant only", (given) => {
  const endpoint = new Endpoint();
  let url = "";
  beforeAll(async () => {
    url = await endpoint.listen();
  });
  afterAll(() => endpoint.close());

  test(
    "is worked for with --tenant-scope host, by worker, erasures, sweep and forget, and refused without it",
    async () => {
      const { tenantKey, cli, ref } = await forgottenWithCopy(given, endpoint);
      const config = configOf(url);
      const scoped = ["--tenant-scope", "host"];
      const env = { SEARCH_SECRET: SECRET };
      await given.admin.query("select demystify_memory.configure(null, 'host')");
      try {
        const refused = await cli(["worker", "--once", "--config", config], { env });
        const untouched = endpoint.entries.has(ref);
        const worked = await cli(["worker", "--once", "--config", config, ...scoped], { env });
        const listed = await cli(["erasures", "--json", ...scoped]);
        const swept = await cli(["sweep", "--config", config, ...scoped], { env });
        const alone = await runCli(["erasures", ...scoped], {
          env: { DATABASE_URL: given.appUrl, DEMYSTIFY_MEMORY_TENANT: tenantKey, DEMYSTIFY_MEMORY_PEPPER: PEPPER },
        });
        const forgotten = await cli(["forget", "--yes", ...scoped], { input: "ramesh" });

        expect(refused.code).toBe(1);
        expect(untouched).toBe(true);
        expect(worked.code).toBe(0);
        expect(worked.stdout).toContain("1 erasures completed");
        expect(listed.stdout).toContain(`"tenantKey": "${tenantKey}"`);
        expect(swept.code).toBe(1);
        expect(swept.stdout).toContain("cannot_enumerate");
        expect(alone).toMatchObject({ code: 0, stderr: "" });
        expect(forgotten.code).toBe(0);
      } finally {
        await given.admin.query("select demystify_memory.configure(null, 'per-call')");
      }
    },
    60 * SECONDS,
  );

  test("is not worked for in several tenants at once, nor without one", async () => {
    const { cli } = given.tenant();
    const config = configOf(url, { tenants: ["acme", "globex"] });

    const refused = await cli(["worker", "--once", "--config", config, "--tenant-scope", "host"], {
      env: { SEARCH_SECRET: SECRET, DEMYSTIFY_MEMORY_TENANT: "" },
    });

    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("Name one tenant");
  });
});

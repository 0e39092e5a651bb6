import { expect, test } from "vitest";
import { documentOf, run } from "./support/run-main.js";
import { describeOnServer } from "./support/server-suite.js";

describeOnServer("a database that cannot be had", (given) => {
  const changed = (change: (url: URL) => void) => {
    const url = new URL(given.appUrl);
    change(url);
    return url.href;
  };

  test.each<[string, () => string, string, RegExp]>([
    ["a wrong password", () => changed((url) => (url.password = "not-it")), "28P01", /user .* password/],
    ["no such role", () => changed((url) => (url.username = "nobody_here")), "28", /user .* password/],
    ["no such database", () => changed((url) => (url.pathname = "/not_there")), "3D000", /no database of that name/],
    ["nothing at the port", () => changed((url) => (url.port = "1")), "ECONNREFUSED", /Nothing answers/],
    ["no such host", () => changed((url) => (url.hostname = "no-such-host.invalid")), "E", /host/],
  ])("is told as %s: exit 1, what to do, and nothing of the URL that is secret", async (_what, url, code, help) => {
    const env = { DATABASE_URL: url(), DEMYSTIFY_MEMORY_TENANT: "acme" };

    const failed = await run(["erasures", "--json"], { env });

    const { error } = documentOf<{ error: { code: string; message: string; help: string } }>(failed);
    expect(failed.code).toBe(1);
    expect(error.code).toBe("database_unreachable");
    expect(error.message).toContain(`(${code}`);
    expect(error.help).toMatch(help);
    expect(failed.stdout + failed.stderr).not.toContain(new URL(env.DATABASE_URL).password);
  });
});

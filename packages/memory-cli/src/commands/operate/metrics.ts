import { Option } from "commander";
import { InstallError } from "@demystify/memory";
import { EXIT, FailedError } from "../../cli-error.js";
import { withDatabase } from "../../connection/database-options.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { defineCommand } from "../command.js";

interface MetricsOptions extends MemoryCommandOptions {
  readonly prom?: true;
  readonly allTenants?: true;
}

/** `demystify-memory metrics`: what to alert on, as Prometheus text. Never labelled by person. */
export const metrics = defineCommand<MetricsOptions>({
  name: "metrics",
  group: "operate",
  summary: "print what to alert on, as Prometheus text: of one tenant, or of all with --all-tenants",
  declare: (command) =>
    void declareMemory(command)
      .addOption(new Option("--prom", "the Prometheus text format, which is the only one"))
      .addOption(new Option("--all-tenants", "of every tenant, as a role that sees them all").conflicts("tenant")),
  run: async (invocation) => {
    const { options, out } = invocation;
    const { prometheusText, prometheusTextFrom } = await import("@demystify/memory-worker");
    if (options.allTenants !== true) {
      return withMemory(invocation, async ({ memory, tenantKey }) => {
        out.write(await prometheusTextFrom({ memory, tenantKeys: [tenantKey] }));
        return EXIT.done;
      });
    }
    return withDatabase(invocation, async ({ queryable }) => {
      try {
        out.write(await prometheusText(queryable));
      } catch (error) {
        if (!(error instanceof InstallError)) throw error;
        throw new FailedError(
          "not_permitted",
          "this role does not see every tenant, or nothing is installed; a number that is too low would be worse than none",
          "Connect as a role with SELECT on the schema and BYPASSRLS, or give --tenant instead of --all-tenants.",
        );
      }
      return EXIT.done;
    });
  },
});

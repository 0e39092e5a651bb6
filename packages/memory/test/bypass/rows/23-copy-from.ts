import { insertLineage } from "../../sqlreal/rows.js";
import { asHostJob, asReplica, asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import { refused, SUBJECT } from "../observe.js";

export const copyFrom = bypass(
  {
    row: "23",
    attempt: "COPY FROM of an erased row, or of a summary of one",
    as: ["host job", "superuser", "replica"],
    must: "closed",
    by: ["0A000", "ME003", "ME004"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });
    await given.memory().forget({ tenantKey, ...SUBJECT });
    const hash = "0".repeat(64);
    // From a program of the server's own, so that no driver has to speak the COPY protocol.
    const again = `copy demystify_memory.memory (tenant_key, memory_id, subject_hash, text)
                     from program 'echo ${tenantKey},${memory},${hash},again' csv`;
    const derived = `copy demystify_memory.derived (tenant_key, kind, text, source_memories)
                       from program 'echo "${tenantKey},summary,copied,{${memory}}"' csv`;

    return [
      await asHostJob(given, tenantKey, (sql) =>
        refused(given, ["0A000"], () =>
          sql("copy demystify_memory.memory (tenant_key, subject_hash, text) from stdin"),
        ),
      ),
      await asSuperuser(given, (sql) => refused(given, ["ME004"], () => sql(again))),
      await asSuperuser(given, (sql) => refused(given, ["ME003"], () => sql(derived))),
      await asReplica(given, (sql) => refused(given, ["ME004"], () => sql(again))),
      await asReplica(given, (sql) => refused(given, ["ME003"], () => sql(derived))),
    ];
  },
);

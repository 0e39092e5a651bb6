import { insertLineage } from "../../sqlreal/rows.js";
import { asApplication, asOwner, asReplica } from "../actors.js";
import { bypass } from "../bypass.js";
import { eachRefused, erasedAndRecorded, SUBJECT } from "../observe.js";

const STATEMENTS = [
  "update demystify_memory.memory set subject_hash = repeat('0', 64)",
  "update demystify_memory.memory set subject_key = 'nobody', also_hashes = '{}'",
  "update demystify_memory.memory set tenant_key = 'elsewhere'",
  "update demystify_memory.derived set subject_hashes = '{}'",
];

export const changedIdentity = bypass(
  {
    row: "13",
    attempt: "UPDATE of whose a row is, so that forget does not find it",
    as: ["application", "owner", "replica"],
    must: "closed",
    by: ["42501", "ME015", "recorded"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    await insertLineage(given.sql, { tenantKey });

    const observations = [
      await asApplication(given, tenantKey, (sql) => eachRefused(given, ["42501"], sql, STATEMENTS)),
      await asOwner(given, (sql) => eachRefused(given, ["ME015"], sql, STATEMENTS)),
      await asReplica(given, (sql) => eachRefused(given, ["ME015"], sql, STATEMENTS)),
    ].flat();
    await given.memory().forget({ tenantKey, ...SUBJECT });

    return [...observations, await erasedAndRecorded(given.sql, tenantKey, { memories: 1, derived: 2 })];
  },
);

import { insertDerived, insertLineage } from "../../sqlreal/rows.js";
import { sqlOf } from "../../sqlreal/databases.js";
import { bypass } from "../bypass.js";
import { erasedAndRecorded, refused, SUBJECT } from "../observe.js";

export const olderSnapshot = bypass(
  {
    row: "30",
    attempt: "a writer at REPEATABLE READ or SERIALIZABLE whose snapshot is older than the erasure",
    as: ["writer"],
    must: "closed",
    by: ["40001", "recorded"],
  },
  async (given) => {
    const observations = [];
    for (const level of ["repeatable read", "serializable"]) {
      const tenantKey = given.freshTenant();
      const { memory } = await insertLineage(given.sql, { tenantKey });
      const writer = await given.connect();
      await writer.query(`begin isolation level ${level}`);
      await writer.query("select count(*) from demystify_memory.memory");

      await given.memory().forget({ tenantKey, ...SUBJECT });

      observations.push(
        await refused(given, ["40001"], () => insertDerived(sqlOf(writer), { tenantKey, memories: [memory] })),
        await erasedAndRecorded(given.sql, tenantKey, { memories: 1, derived: 2 }),
      );
    }
    return observations;
  },
);

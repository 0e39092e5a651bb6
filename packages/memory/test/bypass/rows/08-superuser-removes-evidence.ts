import { asReplica, asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import { aForgottenPerson, removeEvidence } from "../forgotten-person.js";
import { missed, refused } from "../observe.js";

export const superuserRemovesEvidence = bypass(
  {
    row: "8",
    attempt: "removal of a tombstone with the rules switched off, and on again afterwards",
    as: ["replica", "superuser"],
    must: "needs export",
    by: ["ME015", "evidence_missing"],
  },
  async (given) => {
    const person = await aForgottenPerson(given, given.freshTenant());

    const replica = await asReplica(given, (sql) =>
      refused(given, ["ME015"], () =>
        sql("delete from demystify_memory.tombstone where tombstone_id = $1", [person.tombstoneId]),
      ),
    );
    await asSuperuser(given, (sql) => removeEvidence(sql, person));

    return [replica, await missed(given, person.tenantKey, person.exported)];
  },
);

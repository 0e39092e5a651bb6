import { asApplication, asOwner, asOwnerMember } from "../actors.js";
import { bypass } from "../bypass.js";
import { aForgottenPerson, removeEvidence } from "../forgotten-person.js";
import { missed, refused } from "../observe.js";

export const ownerRemovesEvidence = bypass(
  {
    row: "33",
    attempt: "removal of a tombstone by the owner of the tables, who disables its triggers for a moment",
    as: ["application", "owner", "owner member"],
    must: "needs export",
    by: ["42501", "ME015", "evidence_missing"],
  },
  async (given) => {
    const person = await aForgottenPerson(given, given.freshTenant());
    const remove = "delete from demystify_memory.tombstone where tombstone_id = $1";

    const application = await asApplication(given, person.tenantKey, (sql) =>
      refused(given, ["42501"], () => sql(remove, [person.tombstoneId])),
    );
    const member = await asOwnerMember(given, (sql) =>
      refused(given, ["ME015"], () => sql(remove, [person.tombstoneId])),
    );
    await asOwner(given, (sql) => removeEvidence(sql, person));

    return [application, member, await missed(given, person.tenantKey, person.exported)];
  },
);

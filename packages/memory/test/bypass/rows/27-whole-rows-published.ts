import { asApplication, asOwner, asOwnerMember } from "../actors.js";
import { bypass } from "../bypass.js";
import { noticed, refused } from "../observe.js";

const FULL = "alter table demystify_memory.memory replica identity full";

export const wholeRowsPublished = bypass(
  {
    row: "27",
    attempt: "REPLICA IDENTITY FULL, which sends the erased row to every subscriber with its delete",
    as: ["application", "owner", "owner member"],
    must: "detected",
    by: ["42501", "replica_identity_is_the_key"],
  },
  async (given) => {
    const application = await asApplication(given, given.freshTenant(), (sql) =>
      refused(given, ["42501"], () => sql(FULL)),
    );
    const member = await asOwnerMember(given, async (sql) => {
      await sql(FULL);
      return noticed(sql, "replica_identity_is_the_key");
    });
    await asOwner(given, (sql) => sql(FULL));
    return [application, member, await noticed(given.sql, "replica_identity_is_the_key")];
  },
);

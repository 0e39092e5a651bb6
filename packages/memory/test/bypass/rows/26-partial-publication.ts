import { asOwner, asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import { noticed, refused } from "../observe.js";

const CREATE = "create publication host for table demystify_memory.memory";

export const partialPublication = bypass(
  {
    row: "26",
    attempt:
      "a publication without deletes or truncates, or of some rows alone, so that a subscriber keeps what was erased",
    as: ["owner", "superuser"],
    must: "detected",
    by: ["42501", "publications_carry_deletes", "publications_have_no_row_filter"],
  },
  async (given) => {
    const observations = [await asOwner(given, (sql) => refused(given, ["42501"], () => sql(CREATE)))];
    for (const publish of ["insert", "insert, update, truncate", "insert, update, delete"]) {
      await asSuperuser(given, (sql) => sql(`${CREATE} with (publish = '${publish}')`));
      observations.push(await noticed(given.sql, "publications_carry_deletes"));
      await given.sql("drop publication host");
    }
    // Through the root, because of a partitioned table Postgres takes no other filter.
    await asSuperuser(given, (sql) => sql(`${CREATE} where (tenant_key <> 'acme') with (publish_via_partition_root)`));
    return [...observations, await noticed(given.sql, "publications_have_no_row_filter")];
  },
);

import { insertDerived, insertLineage } from "../../sqlreal/rows.js";
import { libraryOn, untilBlocked } from "../../sqlreal/sessions.js";
import { sqlOf } from "../../sqlreal/databases.js";
import { bypass } from "../bypass.js";
import { erasedAndRecorded, refused, SUBJECT } from "../observe.js";

export const writerInFlight = bypass(
  {
    row: "29",
    attempt:
      "a writer at READ COMMITTED that began before the erasure and commits while it is being opened, or after it",
    as: ["writer"],
    must: "closed",
    by: ["ME003", "recorded"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });
    const [early, late, eraser] = [await given.connect(), await given.connect(), await given.connect("app")];
    await early.query("begin isolation level read committed");
    await insertDerived(sqlOf(early), { tenantKey, memories: [memory] });
    await late.query("begin isolation level read committed");
    await late.query("select count(*) from demystify_memory.memory");

    const forgetting = libraryOn(eraser).forget({ tenantKey, ...SUBJECT });
    await untilBlocked(given.sql, eraser);
    await early.query("commit");
    await forgetting;

    const after = await refused(given, ["ME003"], () => insertDerived(sqlOf(late), { tenantKey, memories: [memory] }));
    return [after, await erasedAndRecorded(given.sql, tenantKey, { memories: 1, derived: 3 })];
  },
);

import { insertDerived, insertLineage } from "../../sqlreal/rows.js";
import { sqlOf } from "../../sqlreal/databases.js";
import { libraryOn } from "../../sqlreal/sessions.js";
import { bypass } from "../bypass.js";
import { erasedAndRecorded, refused, SUBJECT } from "../observe.js";

export const preparedTransaction = bypass(
  {
    row: "31",
    attempt: "COMMIT PREPARED, after the erasure, of a summary written before it",
    as: ["writer"],
    must: "closed",
    by: ["55P03", "recorded"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });
    const [writer, eraser] = [await given.connect(), await given.connect("app")];
    await writer.query("begin");
    await insertDerived(sqlOf(writer), { tenantKey, memories: [memory] });
    await writer.query(`prepare transaction '${tenantKey}'`);
    await eraser.query("set lock_timeout = '50ms'");

    // The prepared row is not there yet, and nothing is opened that would not cover it.
    const meanwhile = await refused(given, ["55P03"], () => libraryOn(eraser).forget({ tenantKey, ...SUBJECT }));
    await writer.query(`commit prepared '${tenantKey}'`);
    await libraryOn(eraser).forget({ tenantKey, ...SUBJECT });

    return [meanwhile, await erasedAndRecorded(given.sql, tenantKey, { memories: 1, derived: 3 })];
  },
);

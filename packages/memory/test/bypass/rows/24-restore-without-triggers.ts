import { insertLineage } from "../../sqlreal/rows.js";
import { migrate } from "../../../src/index.js";
import { asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import { noticed, SUBJECT, swept } from "../observe.js";

export const restoreWithoutTriggers = bypass(
  {
    row: "24",
    attempt: "a restore that loads rows before the triggers are there: an erased memory, and a summary of nothing",
    as: ["superuser"],
    must: "detected",
    by: ["forgotten_but_live", "source_missing", "write_gate_stands"],
  },
  async (given) => {
    const tenantKey = given.freshTenant();
    const { memory } = await insertLineage(given.sql, { tenantKey });
    await given.sql("create table public.backup as select * from demystify_memory.memory");
    await given.memory().forget({ tenantKey, ...SUBJECT });

    // What pg_restore does: the tables, then the rows, and the triggers last.
    const whileLoading = await asSuperuser(given, async (sql) => {
      await sql("drop trigger memory_respects_tombstones on demystify_memory.memory");
      await sql("drop trigger derived_sources_are_live on demystify_memory.derived");
      await sql(`insert into demystify_memory.memory (tenant_key, memory_id, subject_key, subject_hash, text)
                   select tenant_key, memory_id, subject_key, subject_hash, text from public.backup`);
      await sql(
        `insert into demystify_memory.derived (tenant_key, kind, text, source_memories)
           values ($1, 'summary', 'of nothing', array[gen_random_uuid()])`,
        [tenantKey],
      );
      return noticed(sql, "write_gate_stands");
    });
    await migrate({ query: async (text, params) => ({ rows: await given.sql(text, params) }) });
    await given.sql(`create trigger memory_respects_tombstones after insert on demystify_memory.memory
                       referencing new table as new_rows for each statement execute function demystify_memory.gate_memory()`);
    await given.sql("alter table demystify_memory.memory enable always trigger memory_respects_tombstones");

    return [
      whileLoading,
      await swept(given, tenantKey, "forgotten_but_live", memory),
      await swept(given, tenantKey, "source_missing"),
    ];
  },
);

import { insertDerived, insertMemory } from "../../sqlreal/rows.js";
import { asApplication, asSuperuser } from "../actors.js";
import { bypass } from "../bypass.js";
import { erasedAndRecorded, refused, SUBJECT } from "../observe.js";

// Triggers fire in the order of their names, and those of foreign keys are called RI_…: before, and after.
const NAMES = ["AAA_cascade", "zzz_cascade"];
const EDGES = `create table public.edges (
                 tenant_key text, memory_id uuid, derived_id uuid,
                 foreign key (tenant_key, memory_id) references demystify_memory.memory on delete cascade)`;
const BODY = `begin
                delete from demystify_memory.derived d using public.edges e
                 where e.memory_id = old.memory_id and d.derived_id = e.derived_id;
                return old;
              end`;

export const cascadingKey = bypass(
  {
    row: "15b",
    attempt: "edges of the host that a cascading foreign key removes before his own cascade has read them",
    as: ["application", "superuser"],
    must: "closed",
    by: ["42501", "recorded"],
  },
  async (given) => {
    await given.sql(`create schema notes authorization ${given.appRole}`);
    const observations = [
      await asApplication(given, given.freshTenant(), (sql) =>
        refused(given, ["42501"], () => sql(EDGES.replace("public.", "notes."))),
      ),
    ];
    await asSuperuser(given, async (sql) => {
      await sql(EDGES);
      await sql(
        `create function public.host_cascade() returns trigger language plpgsql security definer as $$ ${BODY} $$`,
      );
    });
    for (const name of NAMES) {
      const tenantKey = given.freshTenant();
      const memory = await insertMemory(given.sql, { tenantKey, ...SUBJECT });
      const derived = await insertDerived(given.sql, { tenantKey, memories: [memory] });
      await given.sql("insert into public.edges values ($1, $2, $3)", [tenantKey, memory, derived]);
      await given.sql(`create trigger "${name}" after delete on demystify_memory.memory
                         for each row execute function public.host_cascade()`);

      await asSuperuser(given, (sql) => sql("delete from demystify_memory.memory where memory_id = $1", [memory]));

      await given.sql(`drop trigger "${name}" on demystify_memory.memory`);
      observations.push(await erasedAndRecorded(given.sql, tenantKey, { memories: 1, derived: 1 }));
    }
    return observations;
  },
);

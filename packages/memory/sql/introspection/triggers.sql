-- The triggers of the tables, without those that Postgres makes for foreign keys.
select c.relname::text as relation, t.tgname::text as name, n.nspname::text as function_schema,
       f.proname::text as function, t.tgenabled::text as enabled, t.tgqual is not null as conditional,
       case when (t.tgtype & 2) <> 0 then 'before' when (t.tgtype & 64) <> 0 then 'instead of' else 'after' end as timing,
       case when (t.tgtype & 1) <> 0 then 'row' else 'statement' end as level,
       array_remove(array[case when (t.tgtype & 4) <> 0 then 'insert' end, case when (t.tgtype & 8) <> 0 then 'delete' end,
                          case when (t.tgtype & 16) <> 0 then 'update' end,
                          case when (t.tgtype & 32) <> 0 then 'truncate' end], null) as events,
       array(select a.attname::text from pg_catalog.pg_attribute a
              where a.attrelid = c.oid and a.attnum = any(t.tgattr::int2[]) order by a.attnum) as columns,
       pg_get_triggerdef(t.oid) as definition
  from pg_catalog.pg_trigger t
  join pg_catalog.pg_class c on c.oid = t.tgrelid
  join pg_catalog.pg_proc f on f.oid = t.tgfoid
  join pg_catalog.pg_namespace n on n.oid = f.pronamespace
 where c.relnamespace = 'demystify_memory'::regnamespace and not t.tgisinternal

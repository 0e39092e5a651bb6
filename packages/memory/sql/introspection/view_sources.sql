-- What is built on the tables: each view, materialised view and rule, with the columns that it reads. An empty list is
-- the table as a whole.
select n.nspname::text as schema, v.relname::text as name, v.relkind::text as kind, c.relname::text as relation,
       array_remove(array_agg(distinct a.attname::text order by a.attname::text), null) as columns
  from pg_catalog.pg_depend d
  join pg_catalog.pg_rewrite r on r.oid = d.objid
  join pg_catalog.pg_class v on v.oid = r.ev_class
  join pg_catalog.pg_namespace n on n.oid = v.relnamespace
  join pg_catalog.pg_class c on c.oid = d.refobjid and c.oid <> v.oid
  left join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid and d.refobjsubid > 0
 where d.classid = 'pg_catalog.pg_rewrite'::regclass and d.refclassid = 'pg_catalog.pg_class'::regclass
   and c.relnamespace = 'demystify_memory'::regnamespace
 group by n.nspname, v.relname, v.relkind, c.relname

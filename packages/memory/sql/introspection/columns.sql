-- The columns of the tables. statistics: how many values ANALYZE keeps; -1 is the server's default.
select c.relname::text as relation, a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type,
       a.attnotnull as required, a.attgenerated <> '' as generated, coalesce(a.attstattarget, -1)::int as statistics,
       a.attstorage::text as storage
  from pg_catalog.pg_class c
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p')

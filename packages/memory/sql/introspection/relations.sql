-- Tables, views and whatever else of that sort is in the schema.
select c.oid, c.relname::text as name, c.relkind::text as kind, pg_get_userbyid(c.relowner)::text as owner,
       c.relpersistence::text as persistence, c.relrowsecurity as row_security, c.relforcerowsecurity as forced,
       c.relreplident::text as replica_identity, c.relispartition as is_partition,
       coalesce(c.reloptions, '{}') as options
  from pg_catalog.pg_class c
 where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind not in ('i', 'I', 'c', 't')

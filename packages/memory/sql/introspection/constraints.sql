-- Checks, keys and foreign keys of the tables. Of NOT NULL the columns tell: not every version lists it here.
select c.relname::text as relation, k.conname::text as name, k.contype::text as type,
       pg_get_constraintdef(k.oid) as definition, k.convalidated as validated
  from pg_catalog.pg_constraint k
  join pg_catalog.pg_class c on c.oid = k.conrelid
 where c.relnamespace = 'demystify_memory'::regnamespace and k.contype <> 'n'

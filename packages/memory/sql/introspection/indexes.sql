-- The indexes of the tables. columns: which of the table's columns they hold, by name or inside an expression.
select c.relname::text as relation, i.relname::text as name, m.amname::text as method, x.indisunique as is_unique,
       x.indisvalid and x.indisready as valid,
       coalesce(i.reloptions, '{}') as options, pg_get_indexdef(i.oid) as definition,
       array(select distinct a.attname::text
               from pg_catalog.pg_depend d
               join pg_catalog.pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
              where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = i.oid
                and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = c.oid and d.refobjsubid > 0
              order by 1) as columns,
       exists (select from pg_catalog.pg_attribute a
                where a.attrelid = i.oid and a.attnum > 0 and x.indkey[a.attnum - 1] = 0
                  and coalesce(a.attstattarget, -1) <> 0) as has_expression_statistics
  from pg_catalog.pg_index x
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  join pg_catalog.pg_class c on c.oid = x.indrelid
  join pg_catalog.pg_am m on m.oid = i.relam
 where c.relnamespace = 'demystify_memory'::regnamespace and c.relkind in ('r', 'p')

-- For a store of tens of millions of rows the tables of payload can be hash-partitioned by tenant. That is chosen once,
-- by the setting demystify_memory.partitions at the first migration: a number of partitions. Without it nothing is.

-- Makes a table that has just been created, and holds nothing, a partitioned one of the same columns and constraints.
create or replace function demystify_memory.partition_by_tenant(p_table text, p_id text) returns void
language plpgsql
set search_path = ''
as $$
declare
  v_partitions int := coalesce(nullif(current_setting('demystify_memory.partitions', true), ''), '0')::int;
  v_name       text;
begin
  if v_partitions = 0
     or (select c.relkind from pg_catalog.pg_class c where c.oid = format('demystify_memory.%I', p_table)::regclass) = 'p'
     or exists (select from demystify_memory.schema_migration) then
    return;
  end if;
  if v_partitions not between 2 and 256 then
    raise exception 'partitions: must be from 2 to 256' using errcode = 'ME001';
  end if;
  v_name := p_table || '_partitioned';
  execute format(
    'create table demystify_memory.%I (like demystify_memory.%I including defaults including constraints including generated)
       partition by hash (tenant_key)', v_name, p_table);
  execute format('drop table demystify_memory.%I', p_table);
  execute format('alter table demystify_memory.%I rename to %I', v_name, p_table);
  execute format('alter table demystify_memory.%1$I add constraint %2$I primary key (tenant_key, %3$I)', p_table, p_table || '_pkey', p_id);
  for n in 0 .. v_partitions - 1 loop
    execute format('create table demystify_memory.%I partition of demystify_memory.%I for values with (modulus %s, remainder %s)',
                   p_table || '_' || n, p_table, v_partitions, n);
  end loop;
end
$$;
comment on function demystify_memory.partition_by_tenant is
  'Makes a new and empty table a hash-partitioned one, where the first migration was asked to.';

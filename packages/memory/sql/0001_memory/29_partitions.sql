-- Statements go through the table, whose triggers they fire: none of those fires for a statement that names a partition.
-- So a partition is not written, emptied or read by its own name.
do $partitions$
declare
  v_partition record;
begin
  for v_partition in
    select c.relname::text as name
      from pg_catalog.pg_inherits i
      join pg_catalog.pg_class c on c.oid = i.inhrelid
     where i.inhparent in ('demystify_memory.memory'::regclass, 'demystify_memory.derived'::regclass)
     order by c.oid
  loop
    execute format('alter table demystify_memory.%I enable row level security', v_partition.name);
    execute format('alter table demystify_memory.%I force row level security', v_partition.name);
    execute format('drop trigger if exists %I on demystify_memory.%I', v_partition.name || '_is_not_named', v_partition.name);
    execute format(
      $sql$create trigger %I before insert or update or delete or truncate on demystify_memory.%I
             for each statement execute function demystify_memory.refuse_change(
               'a partition is not written by its own name', 'Name the table: its triggers keep the evidence.')$sql$,
      v_partition.name || '_is_not_named', v_partition.name);
    execute format('alter table demystify_memory.%I enable always trigger %I', v_partition.name, v_partition.name || '_is_not_named');
  end loop;
end
$partitions$;

-- A column that was dropped or given another type took its content along, without a tombstone.
select 'columns_are_unchanged' as check_name,
       not exists (
         select from column_pins p
           join relations r on r.name = p.relation
          where not exists (
            select from columns c
             where c.relation = p.relation and c.name = p.name and c.type = format_type(to_regtype(p.type), -1)
               and c.required = p.required and c.generated = p.generated)) as ok,
       'critical' as severity,
       'every column is there, with its type' as detail,
       'Restore the column from a backup, then replay the tombstones.' as remediation

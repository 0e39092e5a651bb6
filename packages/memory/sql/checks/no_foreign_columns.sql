-- A column that the schema does not know can be updated, is analysed, and no erasure counts it.
select 'no_foreign_columns' as check_name,
       not exists (
         select from columns c
          where c.relation not in ('tombstone', 'tombstone_item', 'erasure_event', 'restriction', 'legal_hold', 'legal_hold_refusal')
            and exists (select from column_pins p where p.relation = c.relation)
            and not exists (select from column_pins p where p.relation = c.relation and p.name = c.name)) as ok,
       'critical' as severity,
       'no table has a column that the schema does not know' as detail,
       'Move what it holds to metadata or to a table of your own, and drop the column.' as remediation

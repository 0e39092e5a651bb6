-- Nowhere to write prose: a column that the schema does not know could hold any.
select 'evidence_has_no_content_column' as check_name,
       not exists (
         select from columns c
          where c.relation in ('tombstone', 'tombstone_item', 'erasure_event', 'restriction', 'legal_hold', 'legal_hold_refusal')
            and not exists (select from column_pins p where p.relation = c.relation and p.name = c.name)) as ok,
       'critical' as severity,
       'no evidence table has a column that the schema does not know' as detail,
       'Drop the column after checking what it holds.' as remediation

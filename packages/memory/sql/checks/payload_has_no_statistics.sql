-- Planner statistics keep values after the rows are gone, readable with plain SQL.
select 'payload_has_no_statistics' as check_name,
       not exists (
         select from columns c
           left join relations r on r.name = c.relation
           left join pg_catalog.pg_inherits i on i.inhrelid = r.oid
           left join relations parent on parent.oid = i.inhparent
          where c.statistics <> 0 and (coalesce(parent.name, c.relation), c.name) in (
            ('memory', 'subject_key'), ('memory', 'also_keys'), ('memory', 'also_hashes'), ('memory', 'text'), ('memory', 'metadata'),
            ('memory', 'embedding'), ('memory', 'term_hashes'), ('memory', 'content_tags'), ('memory', 'idempotency_hash'),
            ('derived', 'text'), ('derived', 'metadata'), ('derived', 'embedding'), ('derived', 'term_hashes'),
            ('derived', 'content_tags'), ('derived', 'subject_hashes'), ('derived', 'source_memories'), ('derived', 'source_derived'),
            ('tombstone_item', 'content_tags'), ('placement', 'ref'), ('placement', 'fingerprint'), ('placement', 'source_memories'),
            ('placement', 'source_derived'), ('placement', 'subject_hashes'))) as ok,
       'critical' as severity,
       'no statistics are collected on payload columns' as detail,
       'alter table … alter column … set statistics 0; what was collected before stays until a superuser removes it from pg_statistic.' as remediation

-- Statistics collected before they were switched off stay readable.
select 'no_payload_in_statistics' as check_name, (select count(*) = 0 from pg_catalog.pg_stats s where s.schemaname = 'demystify_memory' and s.attname in ('subject_key', 'also_keys', 'text', 'metadata', 'embedding', 'term_hashes', 'content_tags', 'ref') and (s.most_common_vals is not null or s.histogram_bounds is not null or s.most_common_elems is not null)) as ok, 'critical' as severity,
       'pg_stats holds no value of a payload column' as detail,
       'A superuser can delete the rows from pg_statistic; VACUUM FULL pg_statistic afterwards.' as remediation

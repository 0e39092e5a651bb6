-- An index keeps its keys after the rows are gone, until it is rebuilt.
select 'no_index_holds_payload' as check_name,
       not exists (
         select from indexes i
          where i.columns && array['text', 'metadata', 'subject_key', 'also_keys', 'ref']) as ok,
       'critical' as severity,
       'no index holds texts, metadata, keys of persons or refs' as detail,
       'Drop the index; recall works with keyed hashes of terms.' as remediation

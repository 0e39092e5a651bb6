-- The steps inside an erasure are safe in the order the public routines take them, and not one by one.
select 'engine_routines_are_its_own' as check_name,
       not exists (
         select from grants g
          where g.object = 'routine' and g.grantee <> 'public'
            and not exists (select from routine_pins p where p.name = g.name and p.granted)) as ok,
       'critical' as severity,
       'no role was granted a routine that is the engine''s own' as detail,
       'revoke execute on … from …; grant_to() gives a role what it needs.' as remediation

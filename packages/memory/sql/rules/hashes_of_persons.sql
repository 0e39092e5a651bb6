-- The hashes, under whatever key, of the persons of tenant {row} that have one of these hashes.
select linked.subject_hash from unnest({with}) wanted(hash),
lateral (select one.person_id from demystify_memory.subject one
          where one.tenant_key = {row} and one.subject_hash = wanted.hash offset 0) person,
lateral (select one.subject_hash from demystify_memory.subject one
          where one.tenant_key = {row} and one.person_id = person.person_id offset 0) linked

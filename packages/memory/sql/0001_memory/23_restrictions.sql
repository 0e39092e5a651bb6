-- Content kept but not used (GDPR Art. 18), and erasure lawfully blocked (GDPR Art. 17(3)). Both append-only.

-- The person of a request, created as hash and lock if not met before.
create or replace function demystify_memory.person_of(p_tenant text, p_known jsonb) returns uuid
language plpgsql security definer  -- subject rows are the engine's alone
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_keys(p_tenant, p_known);
  perform demystify_memory.register_key(p_tenant, p_known);
  perform demystify_memory.link_subjects(p_tenant, jsonb_build_array(p_known));
  return (select s.person_id from demystify_memory.subject s
           where s.tenant_key = p_tenant and s.subject_hash = p_known #>> '{0,hash}');
end
$$;
comment on function demystify_memory.person_of is 'The person behind these hashes.';

create or replace function demystify_memory.restrict(p_tenant text, p_request text, p_basis text) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_request jsonb := p_request::jsonb;
  v_id      uuid := demystify_memory.uuid_v7();
  v_person  uuid;
  v_target  record;
  v_closure record;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  if v_request #> '{subject,known}' is not null then
    v_person := demystify_memory.person_of(p_tenant, v_request #> '{subject,known}');
  end if;
  v_target := demystify_memory.erasure_target(p_tenant, v_request);
  -- The same lock as an erasure: a derivation is either before the restriction, and hidden with it, or refused.
  perform 1 from demystify_memory.subject s
    where s.tenant_key = p_tenant and s.subject_hash = any(v_target.hashes)
    order by s.subject_hash for no key update;
  v_target := demystify_memory.erasure_target(p_tenant, v_request);
  if v_request ->> 'scope' = 'subject' then
    insert into demystify_memory.restriction (tenant_key, restriction_id, scope, subject_hash, basis)
      values (p_tenant, v_id, 'subject', v_target.subject_hash, p_basis);
    insert into demystify_memory.restriction_in_force (tenant_key, restriction_id, person_id) values (p_tenant, v_id, v_person);
  else
    v_closure := demystify_memory.closure_of(p_tenant, v_target.memory_ids, '{}');
    insert into demystify_memory.restriction (tenant_key, restriction_id, scope, subject_hash, memory_ids, basis)
      values (p_tenant, v_id, 'memories', v_target.subject_hash, v_target.memory_ids, p_basis);
    insert into demystify_memory.restriction_in_force (tenant_key, restriction_id, item_ids)
      values (p_tenant, v_id, v_target.memory_ids || v_closure.derived_ids);
  end if;
  return v_id::text;
end
$$;
comment on function demystify_memory.restrict is 'Hides a person, or chosen memories with what was derived from them; keeps the rows.';

create or replace function demystify_memory.lift_restriction(p_tenant text, p_id uuid) returns void
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  delete from demystify_memory.restriction_in_force r where r.tenant_key = p_tenant and r.restriction_id = p_id;
  if not found then
    raise exception 'no such restriction in force' using errcode = 'ME012', detail = '{"what": "restriction"}';
  end if;
  insert into demystify_memory.restriction (tenant_key, lifts, scope, subject_hash, basis)
    select r.tenant_key, r.restriction_id, r.scope, r.subject_hash, r.basis
      from demystify_memory.restriction r where r.tenant_key = p_tenant and r.restriction_id = p_id;
end
$$;
comment on function demystify_memory.lift_restriction is 'Shows again what a restriction hid; recorded as a row of its own.';

create or replace function demystify_memory.place_hold(p_tenant text, p_known text, p_code text, p_until timestamptz) returns text
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
declare
  v_id     uuid := demystify_memory.uuid_v7();
  v_person uuid;
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  -- Against whatever destroys at this moment: it is over before the hold is placed, or it sees the hold.
  perform pg_advisory_xact_lock(demystify_memory.hold_lock(p_tenant));
  v_person := demystify_memory.person_of(p_tenant, p_known::jsonb);
  -- Against an erasure that opens at this moment.
  perform 1 from demystify_memory.subject s
    where s.tenant_key = p_tenant and s.person_id = v_person order by s.subject_hash for no key update;
  insert into demystify_memory.legal_hold (tenant_key, hold_id, subject_hash, code, until)
    values (p_tenant, v_id, p_known::jsonb #>> '{0,hash}', p_code, p_until);
  return v_id::text;
end
$$;
comment on function demystify_memory.place_hold is 'Refuses every destruction of a person''s rows until released.';

create or replace function demystify_memory.release_hold(p_tenant text, p_id uuid) returns void
language plpgsql security definer  -- the caller holds no INSERT
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, true);
  insert into demystify_memory.legal_hold (tenant_key, releases, subject_hash, code)
    select h.tenant_key, h.hold_id, h.subject_hash, h.code
      from demystify_memory.legal_hold h
     where h.tenant_key = p_tenant and h.hold_id = p_id and h.releases is null
       and not exists (select from demystify_memory.legal_hold r where r.tenant_key = p_tenant and r.releases = p_id);
  if not found then
    raise exception 'no such hold in force' using errcode = 'ME012', detail = '{"what": "hold"}';
  end if;
end
$$;
comment on function demystify_memory.release_hold is 'Ends a hold; recorded as a row of its own.';

create or replace function demystify_memory.list_holds(p_tenant text) returns text
language plpgsql stable security definer  -- the caller reads no base table
set search_path = ''
set jit = off
set enable_seqscan = off
as $$
begin
  perform demystify_memory.assert_tenant(p_tenant, false);
  return (
    select coalesce(json_agg(json_build_object(
             'holdId', h.hold_id, 'subjectHash', h.subject_hash, 'code', h.code,
             'until', demystify_memory.iso(h.until), 'placedAt', demystify_memory.iso(h.at),
             'releasedAt', (select demystify_memory.iso(r.at) from demystify_memory.legal_hold r
                             where r.tenant_key = h.tenant_key and r.releases = h.hold_id),
             'refusals', (select count(*) from demystify_memory.legal_hold_refusal f
                           where f.tenant_key = h.tenant_key and f.hold_id = h.hold_id))
             order by h.at desc, h.hold_id desc), '[]')
      from demystify_memory.legal_hold h where h.tenant_key = p_tenant and h.releases is null)::text;
end
$$;
comment on function demystify_memory.list_holds is 'The holds of a tenant, newest first, with how often each refused an erasure.';

-- A time-ordered UUID (version 7, RFC 9562): never reused after a restore or across databases, so that a replayed
-- erasure cannot hit a stranger's row. Inside one millisecond the order is random.
create or replace function demystify_memory.uuid_v7() returns uuid
language plpgsql volatile parallel safe
set search_path = ''
as $$
begin
  return encode(
           set_bit(set_bit(
             overlay(uuid_send(gen_random_uuid())
                     placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
                     from 1 for 6),
             52, 1), 53, 1),
           'hex')::uuid;
end
$$;
comment on function demystify_memory.uuid_v7() is 'A time-ordered UUID, version 7.';

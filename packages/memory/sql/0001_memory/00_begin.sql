-- Everything happens in one transaction: the schema is there whole, or not at all.
begin;
set local client_min_messages = warning;

-- One at a time: a second migration waits here and then finds everything in place.
do $lock$
begin
  perform pg_advisory_xact_lock(hashtextextended('demystify_memory.migration', 0));
end
$lock$;

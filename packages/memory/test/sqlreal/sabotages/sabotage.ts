/** A way to break one rule of an installation. */
export interface Sabotage {
  readonly check: string;
  /** What was done, in words. */
  readonly how: string;
  /** As a superuser would do it, in a transaction that is rolled back afterwards. */
  readonly sql: string;
  /** Further checks that cannot but fail with it. */
  readonly follows?: readonly string[];
  /** Of a kind that Postgres refuses, or another check finds, where the tables of payload are partitioned. */
  readonly unpartitioned?: true;
}

export const S = "demystify_memory";
export const ENGINE = "demystify_memory_engine";

/** Gives every routine of that name to somebody else. */
export const EACH_OWNER = (routine: string, owner: string) =>
  `do $$ declare f regprocedure; begin
     for f in select p.oid from pg_proc p where p.pronamespace = '${S}'::regnamespace and p.proname = '${routine}' loop
       execute format('alter function %s owner to ${owner}', f);
     end loop;
   end $$`;

/** Puts a trigger on a condition that is never true; it is still there, by name and always enabled. */
export const NEVER = (table: string, trigger: string) =>
  `do $$ declare definition text; begin
     select pg_get_triggerdef(oid) into strict definition from pg_trigger where tgrelid = '${S}.${table}'::regclass and tgname = '${trigger}';
     definition := replace(definition, 'CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER');
     execute replace(definition, 'EXECUTE FUNCTION', 'WHEN (false) EXECUTE FUNCTION');
     execute 'alter table ${S}.${table} enable always trigger ${trigger}';
   end $$`;

/** Replaces the body of a plpgsql function and leaves its owner, rights and settings as they are. */
export const HOLLOW = (routine: string) =>
  `do $$ declare definition text; source text; begin
     select pg_get_functiondef(oid), prosrc into strict definition, source from pg_proc
      where pronamespace = '${S}'::regnamespace and proname = '${routine}';
     execute replace(definition, source, ' begin return' ||
       case when definition like '%RETURNS trigger%' then ' null' else '' end || '; end ');
   end $$`;

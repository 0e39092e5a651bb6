import type { Sabotage } from "./sabotage.js";
import { EACH_OWNER, ENGINE, HOLLOW, S } from "./sabotage.js";

/** How the routines can be broken. */
export const ROUTINES: readonly Sabotage[] = [
  {
    check: "definers_are_known",
    how: "a function is given the engine's rights",
    sql: `alter function ${S}.uuid_v7() security definer`,
  },
  {
    check: "definers_are_known",
    how: "a function that needs the engine's rights loses them",
    sql: `alter function ${S}.recount security invoker`,
  },
  {
    check: "definers_belong_to_the_engine",
    how: "a definer function is given to somebody else",
    sql: EACH_OWNER("recount", "current_user"),
  },
  {
    check: "engine_routines_are_its_own",
    how: "somebody may call a step inside an erasure",
    sql: `grant execute on function ${S}.recount to pg_monitor`,
  },
  {
    check: "functions_pin_their_search_path",
    how: "a function looks names up where its caller does",
    sql: `alter function ${S}.uuid_v7() reset search_path`,
  },
  {
    check: "no_foreign_routines",
    how: "a host's function is put among the schema's own",
    sql: `create function ${S}.host_function() returns int language sql set search_path = '' as 'select 1';
          alter function ${S}.host_function() owner to ${ENGINE};
          revoke all on function ${S}.host_function() from public`,
  },
  {
    check: "plans_stay_pinned",
    how: "a plan is no longer pinned",
    sql: `alter function ${S}.reach_derived() reset enable_seqscan`,
  },
  {
    check: "plans_stay_pinned",
    how: "expressions may be compiled again",
    sql: `alter function ${S}.record_memory_delete() set jit = on`,
  },
  {
    check: "routines_are_unchanged",
    how: "a rule is there and does nothing",
    sql: HOLLOW("gate_memory"),
  },
  {
    check: "routines_are_unchanged",
    how: "the step that counts again does not",
    sql: HOLLOW("recount"),
  },
  {
    check: "routines_are_unchanged",
    how: "a routine is gone",
    sql: `drop function ${S}.capabilities()`,
  },
];

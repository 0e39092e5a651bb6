import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { schemaPins } from "../../scripts/schema-pins.mjs";

const BODY = "\nbegin\n  return 1;\nend\n";
const FUNCTION = (options: string) =>
  `create or replace function demystify_memory.one(p_of text) returns int\n${options}\nas $$${BODY}$$;\n`;
const PINNED = "language plpgsql stable\nset search_path = ''\nset jit = off";

test("a routine is pinned with its kind, language, volatility, rights, settings and the hash of its body", () => {
  const { routines } = schemaPins(FUNCTION(PINNED));

  const hash = createHash("md5").update(BODY).digest("hex");
  expect(routines).toEqual([
    `('one', 'f', 'plpgsql', 's', false, '{"search_path=\\"\\"","jit=off"}', '${hash}', false)`,
  ]);
});

test("a routine that grant_to() gives away is pinned as one that may be granted", () => {
  const grants = `create or replace function demystify_memory.grant_to(p text) returns void
language plpgsql
as $$
declare
  v_app text[] := array['one'];
begin
end
$$;
`;

  const { routines } = schemaPins(FUNCTION(PINNED) + grants);

  expect(routines.map((pin) => pin.endsWith("true)"))).toEqual([true, false]);
});

test("verify_install() does not pin its own body, which holds the pins", () => {
  const { routines } = schemaPins(FUNCTION(PINNED).replace("demystify_memory.one", "demystify_memory.verify_install"));

  expect(routines[0]).toContain("null, false)");
});

test("columns, constraints and indexes are pinned as a table declares them", () => {
  const pins = schemaPins(`create table if not exists demystify_memory.thing (
  tenant_key  text    not null,
  size        int     generated always as (cardinality(parts)) stored,
  parts       uuid[]  default '{}',  -- what it is made of

  primary key (tenant_key),
  constraint thing_is_known check (tenant_key in ('a', 'B') and size > 0),
  constraint thing_has_an_owner foreign key (tenant_key) references demystify_memory.owner (tenant_key)
);
create unique index if not exists thing_by_part on demystify_memory.thing using gin (parts);
`);

  expect(pins).toEqual({
    routines: [],
    columns: [
      "('thing', 'tenant_key', 'text', true, false)",
      "('thing', 'size', 'int', false, true)",
      "('thing', 'parts', 'uuid[]', false, false)",
    ],
    constraints: [
      "('thing', 'thing_is_known', 'c', 'tenant_key=ANYARRAY[''a'',''B'']ANDsize>0')",
      "('thing', 'thing_has_an_owner', 'f', 'FOREIGNKEYtenant_keyREFERENCESdemystify_memory.ownertenant_key')",
    ],
    indexes: ["('thing', 'thing_by_part', 'gin', true)"],
  });
});

test.each([
  ["a routine with the engine's rights and no reason for them", FUNCTION("language sql security definer"), "no reason"],
  [
    "a routine it cannot read, which would go unpinned",
    "create or replace function demystify_memory.one() returns int language sql return 1;",
    "cannot read",
  ],
  [
    "a table it cannot read, which would go unpinned",
    "create table demystify_memory.thing (tenant_key text);",
    "cannot read",
  ],
])("the build stops at %s", (_what, sql, message) => {
  expect(() => schemaPins(sql)).toThrow(message);
});

import type { Queryable } from "@demystify/memory";

/** The same connection, counting what it is asked. */
export function counted(connection: Queryable): { readonly connection: Queryable; readonly calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    connection: {
      query: (text, params) => {
        calls += 1;
        return connection.query(text, params);
      },
    },
  };
}

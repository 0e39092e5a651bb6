// A worker process that kills itself, as kill -9 would, before or after a certain statement. It runs on the build.
import { Memory, PgMemoryStore } from "@demystify/memory";
import { postgresSink, runOnce } from "@demystify/memory-worker";
import pg from "pg";

const { MEMORY_URL, SINK_URL, TENANT, KILL_AT, KILL_WHEN } = process.env;
let statements = 0;

const memoryPool = new pg.Pool({ connectionString: MEMORY_URL, max: 2 });
const sinkPool = new pg.Pool({ connectionString: SINK_URL, max: 2 });

function deadly(where, pool) {
  return {
    async query(text, params) {
      const mine = statements++;
      const killMe = () => {
        process.stdout.write(`${nameOf(where, text)}\n`, () => process.kill(process.pid, "SIGKILL"));
        return new Promise(() => undefined);
      };
      if (mine === Number(KILL_AT) && KILL_WHEN === "before") await killMe();
      const answer = await pool.query(text, params);
      if (mine === Number(KILL_AT) && KILL_WHEN === "after") await killMe();
      return answer;
    },
  };
}

function nameOf(where, text) {
  const routine = /demystify_memory\.(\w+)/.exec(text)?.[1];
  return `${where} ${routine ?? text.trim().split(/\s/)[0]}`;
}

const report = await runOnce({
  memory: new Memory({ store: new PgMemoryStore(deadly("memory", memoryPool)) }),
  sinks: [
    postgresSink({
      name: "second",
      db: deadly("sink", sinkPool),
      table: "notes",
      tenantColumn: "tenant_tag",
      controlRow: { body: "" },
    }),
  ],
  tenantKeys: [TENANT],
  resumeAfterSeconds: 0,
});
await Promise.all([memoryPool.end(), sinkPool.end()]);
process.stdout.write(`survived ${JSON.stringify(report)}\n`);

// A worker process that waits when all it has left is to confirm, so that the test can suspend it there, as Ctrl-Z or a
// paused machine would. It goes on when standard input ends. It runs on the build.
import { once } from "node:events";
import { Memory, PgMemoryStore } from "@demystify/memory";
import { postgresSink, runOnce } from "@demystify/memory-worker";
import pg from "pg";

const { MEMORY_URL, SINK_URL, TENANT } = process.env;
const memoryPool = new pg.Pool({ connectionString: MEMORY_URL, max: 2 });
const sinkPool = new pg.Pool({ connectionString: SINK_URL, max: 2 });

const suspending = {
  async query(text, params) {
    if (/demystify_memory\.confirm_placement/.test(text)) {
      process.stdout.write("about to confirm\n");
      await once(process.stdin.resume(), "end");
    }
    return memoryPool.query(text, params);
  },
};

const report = await runOnce({
  memory: new Memory({ store: new PgMemoryStore(suspending) }),
  sinks: [postgresSink({ name: "second", db: sinkPool, table: "notes", controlRow: { body: "", tenant_tag: "" } })],
  tenantKeys: [TENANT],
  resumeAfterSeconds: 0,
});
await Promise.all([memoryPool.end(), sinkPool.end()]);
process.stdout.write(`${JSON.stringify(report)}\n`);

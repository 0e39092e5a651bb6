import type { QdrantOperations } from "../../../src/index.js";

type Id = string | number;
type Filter = Parameters<QdrantOperations["delete"]>[1]["filter"];
type Condition = NonNullable<Filter["should"]>[number];

/** A Qdrant collection as its API describes it, and with the faults its users have reported. */
export class QdrantCollection implements QdrantOperations {
  readonly points = new Map<Id, Readonly<Record<string, unknown>>>();
  /** `acknowledged`: the operation is queued, as without `wait` or after its time is over. */
  deferred = false;
  /** The answer to the next delete is lost: it is carried out, and the client sees a time-out. */
  loseNextAnswer = false;
  readonly queue: (() => void)[] = [];

  async delete(_collection: string, { filter }: Parameters<QdrantOperations["delete"]>[1]) {
    const run = () => {
      for (const [id, payload] of this.points) if (matches(filter, id, payload)) this.points.delete(id);
    };
    if (this.deferred) this.queue.push(run);
    else run();
    if (this.loseNextAnswer) {
      this.loseNextAnswer = false;
      throw Object.assign(new Error("The operation was aborted due to timeout"), { name: "TimeoutError" });
    }
    return { operation_id: 1, status: this.deferred ? "acknowledged" : "completed" };
  }

  async retrieve(_collection: string, { ids }: Parameters<QdrantOperations["retrieve"]>[1]) {
    return ids.flatMap((id) => (this.points.has(id) ? [{ id }] : []));
  }

  async scroll(_collection: string, { filter, limit, offset }: Parameters<QdrantOperations["scroll"]>[1]) {
    const found = [...this.points].filter(([id, payload]) => matches(filter, id, payload));
    const start = offset === undefined ? 0 : found.findIndex(([id]) => id === offset);
    const page = found.slice(start, start + Math.min(limit, 2));
    return {
      points: page.map(([id, payload]) => ({ id, payload })),
      next_page_offset: found[start + page.length]?.[0] ?? null,
    };
  }

  async upsert(_collection: string, { points }: Parameters<QdrantOperations["upsert"]>[1]) {
    for (const { id, payload } of points) this.points.set(id, payload);
    return {};
  }
}

function matches({ must, should }: Filter, id: Id, payload: Readonly<Record<string, unknown>>): boolean {
  const holds = (condition: Condition) =>
    "has_id" in condition ? condition.has_id.includes(id) : payload[condition.key] === condition.match.value;
  return (must ?? []).every(holds) && (should === undefined || should.some(holds));
}

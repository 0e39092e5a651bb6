import { createServer, type Server, type Socket } from "node:net";
import pg from "pg";

/**
 * A pooler in transaction mode, as far as a client can tell: any number of clients share one connection to Postgres,
 * which is handed on whenever a transaction has ended. Speaks the wire protocol; knows nothing of SQL.
 */
export async function startPooler(serverUrl: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const upstream = new pg.Client({ connectionString: serverUrl });
  upstream.on("error", () => undefined);
  await upstream.connect();
  const stream = (upstream as unknown as { connection: { stream: Socket } }).connection.stream;
  // From here on the bytes are ours: the driver did the logging in.
  stream.removeAllListeners("data");

  const waiting: Client[] = [];
  let holder: Client | null = null;
  const handOn = () => {
    holder = waiting.shift() ?? null;
    holder?.flush(stream);
  };
  const answers = new Frames((frame) => {
    holder?.socket.write(frame);
    if (frame[0] === READY && frame[5] === IDLE) handOn();
  });
  stream.on("data", (chunk: Buffer) => answers.add(chunk));

  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    const client = new Client(socket, () => {
      if (holder === client) client.flush(stream);
      else if (holder === null) {
        holder = client;
        client.flush(stream);
      } else if (!waiting.includes(client)) waiting.push(client);
    });
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = new URL(serverUrl);
  url.hostname = "127.0.0.1";
  url.port = String(typeof address === "object" && address !== null ? address.port : 0);
  return {
    url: url.href,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      stream.destroy();
    },
  };
}

const READY = "Z".charCodeAt(0);
const IDLE = "I".charCodeAt(0);
const TERMINATE = "X".charCodeAt(0);

class Client {
  #pending: Buffer[] = [];
  #started = false;
  #startup = Buffer.alloc(0);

  constructor(
    readonly socket: Socket,
    wants: () => void,
  ) {
    const frames = new Frames((frame) => {
      if (frame[0] === TERMINATE) return;
      this.#pending.push(frame);
      wants();
    });
    socket.on("data", (chunk: Buffer) => {
      if (this.#started) frames.add(chunk);
      else this.#start(chunk, frames);
    });
  }

  flush(stream: Socket): void {
    for (const frame of this.#pending) stream.write(frame);
    this.#pending = [];
  }

  /** Whoever comes is let in: the pooler has logged in for everybody. */
  #start(chunk: Buffer, frames: Frames): void {
    this.#startup = Buffer.concat([this.#startup, chunk]);
    if (this.#startup.length < 8 || this.#startup.length < this.#startup.readInt32BE(0)) return;
    const rest = this.#startup.subarray(this.#startup.readInt32BE(0));
    this.#started = true;
    this.socket.write(Buffer.concat([frameOf("R", Buffer.from([0, 0, 0, 0])), frameOf("Z", Buffer.from("I"))]));
    if (rest.length > 0) frames.add(rest);
  }
}

/** Cuts a stream into messages: a type byte, a length that counts itself, and that many bytes. */
class Frames {
  #kept = Buffer.alloc(0);

  constructor(readonly onFrame: (frame: Buffer) => void) {}

  add(chunk: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, chunk]);
    while (this.#kept.length >= 5) {
      const end = 1 + this.#kept.readInt32BE(1);
      if (this.#kept.length < end) return;
      const frame = this.#kept.subarray(0, end);
      this.#kept = this.#kept.subarray(end);
      this.onFrame(frame);
    }
  }
}

function frameOf(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

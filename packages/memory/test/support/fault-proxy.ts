import { createServer, connect } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";

/** What becomes of one request: it never arrives, or it is carried out and nobody hears of it. */
export const LOSSES = ["the request", "the reply"] as const;
export type Loss = (typeof LOSSES)[number];

const SYNC = "S".charCodeAt(0);
const QUERY = "Q".charCodeAt(0);
const READY = "Z".charCodeAt(0);

/**
 * A network that fails: a TCP proxy before a Postgres server. It counts requests (a simple query, or all up to a Sync)
 * and cuts the connection at one of them, before it reaches the server, or after the server has answered that it is
 * ready for the next: by then everything is committed, and the client does not know it.
 */
export class FaultProxy {
  readonly #server: Server;
  readonly #target: () => number;
  readonly #sockets = new Set<Socket>();
  /** Requests since `arm`. */
  requests = 0;
  /** Whether the loss has happened. */
  lost = false;
  #armed: { readonly request: number; readonly what: Loss } | undefined;

  private constructor(target: () => number) {
    this.#target = target;
    this.#server = createServer((client) => this.#relay(client));
  }

  /** `target`: the server's port, asked for each connection. */
  static async start(target: () => number): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** From now on the nth request (from 1; 0: none) is lost. */
  arm(request: number, what: Loss = "the reply"): void {
    this.requests = 0;
    this.lost = false;
    this.#armed = request === 0 ? undefined : { request, what };
  }

  /** The same address by way of the proxy. */
  through(url: string): string {
    const changed = new URL(url);
    changed.port = String((this.#server.address() as AddressInfo).port);
    return changed.href;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #relay(client: Socket): void {
    const server = connect(this.#target(), "127.0.0.1");
    const cut = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", cut);
      socket.on("close", cut);
      socket.on("close", () => this.#sockets.delete(socket));
    }
    let losing = false;
    const requests = new Frames(true);
    client.on("data", (chunk) => {
      for (const type of requests.typesIn(chunk)) {
        if (type !== SYNC && type !== QUERY) continue;
        this.requests += 1;
        if (this.requests !== this.#armed?.request) continue;
        this.lost = true;
        if (this.#armed.what === "the request") {
          cut();
          return;
        }
        losing = true;
      }
      server.write(chunk);
    });
    const replies = new Frames(false);
    server.on("data", (chunk) => {
      const types = replies.typesIn(chunk);
      if (!losing) client.write(chunk);
      else if (types.includes(READY)) cut();
    });
  }
}

/** The types of the protocol's messages in a stream; a client's first message has none. */
class Frames {
  #buffered = Buffer.alloc(0);
  #untyped: boolean;

  constructor(startsUntyped: boolean) {
    this.#untyped = startsUntyped;
  }

  typesIn(chunk: Buffer): readonly number[] {
    this.#buffered = Buffer.concat([this.#buffered, chunk]);
    const types: number[] = [];
    for (;;) {
      const head = this.#untyped ? 0 : 1;
      if (this.#buffered.length < head + 4) return types;
      const length = head + this.#buffered.readInt32BE(head);
      if (this.#buffered.length < length) return types;
      if (!this.#untyped) types.push(this.#buffered[0]!);
      this.#untyped = false;
      this.#buffered = this.#buffered.subarray(length);
    }
  }
}

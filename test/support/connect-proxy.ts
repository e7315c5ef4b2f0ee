// Owns an HTTP proxy for tests: CONNECT alone, to one port of this machine whatever name is asked
// for, with a password if wanted.

import type { IncomingMessage, Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createConnection } from "node:net";
import type { Duplex } from "node:stream";

export interface ProxyRules {
  /** `user:password`. */
  readonly credentials?: string;
  /** Answered to every CONNECT instead of a connection. */
  readonly refusal?: number;
  /** Takes connections and says nothing. */
  readonly mute?: boolean;
}

export class ConnectProxy {
  readonly #server: Server;
  readonly #open = new Set<Duplex>();
  /** What was asked for, in order. */
  readonly asked: string[] = [];

  private constructor(target: number, rules: ProxyRules) {
    this.#server = createServer((_request, response) => response.writeHead(405).end());
    this.#server.on("connection", (socket) => this.#keep(socket));
    this.#server.on("connect", (request: IncomingMessage, near: Duplex) => {
      this.asked.push(request.url ?? "");
      const status = this.#judge(request, rules);
      if (status === undefined) return undefined;
      if (status !== 200) {
        near.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
        return undefined;
      }
      const far = createConnection(target, "127.0.0.1", () => {
        near.write("HTTP/1.1 200 Connected\r\n\r\n");
        near.pipe(far).pipe(near);
      });
      this.#keep(far);
      far.on("close", () => near.destroy());
      near.on("close", () => far.destroy());
      return undefined;
    });
  }

  static async start(target: number, rules: ProxyRules = {}): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(target, rules);
    await new Promise<void>((resolve) => {
      proxy.#server.listen(0, "127.0.0.1", () => resolve());
    });
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** With user and password if given. */
  url(credentials?: string): string {
    return `http://${credentials === undefined ? "" : `${credentials}@`}127.0.0.1:${this.port}`;
  }

  get connections(): number {
    return this.#open.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #judge(request: IncomingMessage, rules: ProxyRules): number | undefined {
    if (rules.mute === true) return undefined;
    if (rules.refusal !== undefined) return rules.refusal;
    if (rules.credentials === undefined) return 200;
    const wanted = `Basic ${Buffer.from(rules.credentials).toString("base64")}`;
    return request.headers["proxy-authorization"] === wanted ? 200 : 407;
  }

  #keep(socket: Socket): void {
    this.#open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#open.delete(socket));
  }
}

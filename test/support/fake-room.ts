// Owns a stand-in for relay, room and bridge: it serves the built page and speaks the raw rendition,
// so that a test can say exactly what the page hears, and see all that it says.

import { readFile } from "node:fs/promises";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import { decodeFrames, encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { ChannelAck } from "../../protocol/output.ts";
import { encodeOffset, encodeOutputFrame, decodeAcks } from "../../protocol/output.ts";
import type { Role } from "../../protocol/grant.ts";
import type { PtyAttached } from "../../protocol/pty.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import { toBytes } from "../../protocol/text.ts";
import { RAW_SUBPROTOCOL } from "../../protocol/limits.ts";
import type { PageMessage, PageRequest } from "../../web/session/messages.ts";
import { PATIENCE_MS, untilWoken } from "./waiting.ts";

const PAGE = join(import.meta.dirname, "..", "..", "dist", "web");
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** As the relay serves them: a browser reads and compiles them once. */
const HASHED = "/assets/";
const FOREVER = "public, max-age=31536000, immutable";

export const TERMINAL: Terminal = {
  id: "pty-aaaaaa",
  cwd: "/home/ana/project",
  owner: "user",
  visible: true,
  createdAt: 1,
  epoch: 1,
};

/** One page's socket. */
export class FakePeer {
  readonly number: number;
  protected readonly socket: WebSocket;
  readonly #watchers = new Set<() => void>();
  readonly requests: PageRequest[] = [];
  /** Each binary message, and when it came. */
  readonly acks: { at: number; acks: ChannelAck[] }[] = [];

  constructor(number: number, socket: WebSocket) {
    this.number = number;
    this.socket = socket;
    socket.on("message", (data: Buffer, binary) => {
      if (binary) this.acks.push({ at: performance.now(), acks: listAcks(data) });
      // As the room does: a page that hears nothing for 33 s would come again by another socket.
      else if (data.toString() === "ping") socket.send("pong");
      else this.receive(data.toString());
      for (const watcher of this.#watchers) watcher();
    });
  }

  /** Takes a text message of the page. */
  protected receive(text: string): void {
    if (text.startsWith("{")) this.requests.push(JSON.parse(text));
  }

  say(message: PageMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  terminals(...terminals: Terminal[]): void {
    this.welcome("edit", terminals);
  }

  welcome(role: Role, terminals: Terminal[]): void {
    this.say({ type: "pty:terminals", terminals, role, you: this.number });
  }

  driver(driver: number | null, label?: string, viewers = 2): void {
    const named = label === undefined ? {} : { label };
    this.say({ type: "pty:driver", id: TERMINAL.id, driver, viewers, ...named });
  }

  attached(part: Partial<PtyAttached> = {}): void {
    this.say({
      type: "pty:attached",
      id: TERMINAL.id,
      epoch: 1,
      offset: 0,
      next: 0,
      cols: 80,
      rows: 24,
      channel: 1,
      ...part,
    });
  }

  bytes(offset: number, bytes: Uint8Array | string, channel = 1): void {
    const body = typeof bytes === "string" ? toBytes(bytes) : bytes;
    this.output(channel, offset, body.length, body);
  }

  /** The room asks whether anybody reads. */
  ask(n: number): void {
    this.socket.send(encodeFrame(FrameType.proof, 0, encodeOffset(n)));
  }

  event(offset: number, message: PageMessage, channel = 1): void {
    this.output(channel, offset, 0, toBytes(JSON.stringify(message)));
  }

  protected output(channel: number, offset: number, span: number, body: Uint8Array): void {
    this.socket.send(encodeOutputFrame(channel, offset, span, body));
  }

  cut(): void {
    this.socket.terminate();
  }

  get buffered(): number {
    return this.socket.bufferedAmount;
  }

  async until<T>(what: string, look: () => T | undefined | false): Promise<T> {
    const describeWait = () =>
      `no ${what}; the page said ${JSON.stringify(this.requests.slice(-8))}`;
    return await untilWoken(this.#watchers, look, PATIENCE_MS, describeWait);
  }

  /** The first request of this type that has come, or comes. */
  async request<T extends PageRequest["type"]>(
    type: T,
    fits: (request: Extract<PageRequest, { type: T }>) => boolean = () => true,
  ): Promise<Extract<PageRequest, { type: T }>> {
    const is = (one: PageRequest): one is Extract<PageRequest, { type: T }> => one.type === type;
    return await this.until(type, () => this.requests.filter(is).find(fits));
  }

  async acked(offset: number, channel = 1): Promise<void> {
    await this.until(`ack of ${offset}`, () => this.ackedTo(channel) >= offset);
  }

  ackedTo(channel = 1): number {
    const all = this.acks.flatMap(({ acks }) => acks.filter((one) => one.channel === channel));
    return all.at(-1)?.offset ?? 0;
  }
}

/** One room at a time, all at the same address: a browser has compiled the page of it before. */
export class Address {
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  #come: ((socket: WebSocket) => void) | undefined;

  private constructor(server: Server) {
    this.#server = server;
    this.#sockets = new WebSocketServer({
      server,
      handleProtocols: (offered) => (offered.has(RAW_SUBPROTOCOL) ? RAW_SUBPROTOCOL : false),
    });
    this.#sockets.on("connection", (socket) => {
      if (this.#come) this.#come(socket);
      else socket.terminate();
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  servePost: ((post: FakePost) => Uint8Array | undefined) | undefined;

  take(come: (socket: WebSocket) => void): void {
    if (this.#come) throw new Error("the room before has not been closed");
    this.#come = come;
  }

  give(): void {
    this.#come = undefined;
    this.servePost = undefined;
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  static async open(): Promise<Address> {
    const server = createServer((request, response) => {
      const answer = async (): Promise<void> => {
        if (request.method === "POST") return await answerPost(request, response, address);
        const file = toFile(request);
        try {
          const body = await readFile(join(PAGE, file));
          response.writeHead(200, {
            "content-type": TYPES[extname(file)] ?? "text/plain",
            ...(file.startsWith(HASHED) && { "cache-control": FOREVER }),
          });
          response.end(body);
        } catch {
          response.writeHead(404).end();
        }
        return undefined;
      };
      void answer();
    });
    const address = new Address(server);
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    // It ends with the process.
    server.unref();
    return address;
  }
}

let opening: Promise<Address> | undefined;

/** Makes the other side of a page's socket, the first, second and so on. */
export type CreatePeer<P> = (number: number, socket: WebSocket) => P;

/** Opens the address that all rooms of this process share. */
export async function openAddress(): Promise<Address> {
  opening ??= Address.open();
  return await opening;
}

export class FakeRoom<P extends FakePeer = FakePeer> {
  readonly #address: Address;
  readonly #peers: P[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(address: Address, createPeer: CreatePeer<P>) {
    this.#address = address;
    address.take((socket) => {
      this.#peers.push(createPeer(this.#peers.length + 1, socket));
      for (const watcher of this.#watchers) watcher();
    });
  }

  static async open(): Promise<FakeRoom> {
    return new FakeRoom(await openAddress(), (number, socket) => new FakePeer(number, socket));
  }

  /** `host` may be any name that the browser takes for this machine. */
  link(host = "127.0.0.1", inside = "", word = `pp_0000000000_${"0".repeat(32)}`): string {
    return `http://${host}:${this.#address.port}/w/fake${inside}#${word}`;
  }

  async peer(number: number): Promise<P> {
    return await untilWoken(
      this.#watchers,
      () => this.#peers[number - 1],
      PATIENCE_MS,
      () => `no page came as number ${number}`,
    );
  }

  /** The first page, in the room and with TERMINAL on its screen. */
  async arrived(role: Role): Promise<P> {
    const peer = await this.peer(1);
    peer.welcome(role, [TERMINAL]);
    await peer.request("pty:attach");
    peer.attached({ snapshot: "$ " });
    await peer.request("pty:view");
    return peer;
  }

  /** Answers the page's POST requests; undefined is 404. */
  servePosts(serve: Address["servePost"]): void {
    this.#address.servePost = serve;
  }

  close(): void {
    this.#address.give();
  }
}

export interface FakePost {
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

async function answerPost(
  request: IncomingMessage,
  response: ServerResponse,
  { servePost }: Address,
): Promise<void> {
  const body = Buffer.concat(await request.toArray());
  const { url = "", headers } = request;
  const answer = servePost?.({ url, headers, body });
  response.writeHead(answer === undefined ? 404 : 200).end(answer);
}

function toFile({ url = "/" }: IncomingMessage): string {
  const { pathname } = new URL(url, "http://page");
  return pathname.startsWith("/w/") ? "index.html" : pathname;
}

function listAcks(data: Buffer): ChannelAck[] {
  const decoded = decodeFrames(new Uint8Array(data));
  return decodeAcks(decoded.frames[0]?.payload ?? new Uint8Array()) ?? [];
}

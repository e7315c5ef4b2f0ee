// Owns a relay that says whatever a test wants: it accepts any bridge, makes up peers and requests,
// and keeps every frame that the bridge sends. It has no room behind it.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import type { Frame } from "../../protocol/frame.ts";
import { decodeFrames, encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { StreamHead } from "../../protocol/http.ts";
import { toPayload } from "../../protocol/json.ts";
import { PeerClose, encodeStamped } from "../../protocol/link.ts";
import { encodeOffset } from "../../protocol/output.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import { LINK_VERSION } from "../../protocol/limits.ts";
import { read } from "./frames.ts";
import { until } from "./waiting.ts";

/** What the relay says of a caller: the grant that it names, and the ticket that it passes on. */
export interface Claim {
  readonly grant: string;
  readonly ticket?: string;
}

export class LyingRelay {
  readonly #server: WebSocketServer;
  /** Every frame of the bridge, in order. */
  readonly frames: Frame[] = [];
  linkCount = 0;
  #socket: WebSocket | undefined;
  #last = 0;
  /** Sent between `accepted` and `caughtUp` of the next link. */
  greet: () => void = () => {};
  /** Fires with every frame of the bridge. */
  onFrame: (frame: Frame) => void = () => {};

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on("connection", (socket) => this.#accept(socket));
  }

  static async start(): Promise<LyingRelay> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
    await once(server, "listening");
    return new LyingRelay(server);
  }

  get url(): string {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when the bridge has had more links than `count`. */
  async linked(count = 0): Promise<void> {
    await until("the bridge has a link", () => this.linkCount > count);
  }

  /** Cuts the link; resolves when the bridge has the next one. */
  async relink(): Promise<void> {
    const before = this.linkCount;
    this.#socket?.terminate();
    await this.linked(before);
    await this.settled();
  }

  /** All frames of the bridge for one stream. */
  sentTo(stream: number): Frame[] {
    return this.frames.filter((frame) => frame.stream === stream);
  }

  send(type: keyof typeof FrameType, stream: number, payload?: Uint8Array | object): void {
    const bytes =
      payload === undefined || payload instanceof Uint8Array ? payload : toPayload(payload);
    this.#socket?.send(encodeFrame(FrameType[type], stream, bytes));
  }

  /** Makes up a peer; returns its number. */
  join(claim: Claim, more: object = {}): number {
    const number = ++this.#last;
    this.listPeer(number, claim, more);
    return number;
  }

  listPeer(number: number, claim: Claim, more: object = {}): void {
    this.send("peerJoined", number, { ...claim, joinedAt: Date.now(), subscriptions: [], ...more });
  }

  say(peer: number, message: object): void {
    this.sayText(peer, JSON.stringify(message));
  }

  /** Passes on, or makes up, the text of a peer. */
  sayText(peer: number, text: string): void {
    this.send("peerMessage", peer, encodeStamped(Date.now(), toBytes(text)));
  }

  /** Makes up a request; resolves with the status of its answer. */
  async request(claim: Claim, method: string, path: string, body = ""): Promise<number> {
    const stream = ++this.#last;
    const headers = [
      ["accept", "application/json, text/event-stream"],
      ["content-type", "application/json"],
    ];
    this.send("streamOpen", stream, { ...claim, method, path, headers, at: Date.now() });
    this.send("streamCredit", stream, encodeOffset(1 << 20));
    if (body !== "") this.send("streamData", stream, toBytes(body));
    this.send("streamEnd", stream);
    const head = await this.next("streamHead", stream);
    return read(StreamHead, head).status;
  }

  async next(type: keyof typeof FrameType, stream: number): Promise<Frame> {
    const find = () => this.sentTo(stream).find((frame) => frame.type === FrameType[type]);
    await until(`${type}(${stream})`, () => find() !== undefined);
    return find() ?? expect.unreachable(`${type}(${stream}) came`);
  }

  /** Resolves with the first frame of a type behind the first `count` frames. */
  async nextAfter(type: keyof typeof FrameType, count: number): Promise<Frame> {
    const find = () => this.frames.slice(count).find((frame) => frame.type === FrameType[type]);
    await until(`another ${type}`, () => find() !== undefined);
    return find() ?? expect.unreachable(`${type} came`);
  }

  /** Resolves with the code by which the bridge has a peer closed. */
  async closeCode(peer: number): Promise<number> {
    return read(PeerClose, await this.next("peerClose", peer)).code;
  }

  /** Texts that the bridge sent to this peer alone. */
  textsTo(peer: number): string[] {
    return this.sentTo(peer)
      .filter(({ type }) => type === FrameType.peerSend)
      .map(({ payload }) => toText(payload));
  }

  /** Resolves when the bridge has handled everything that was sent before. */
  async settled(): Promise<void> {
    const before = this.frames.length;
    this.send("nudge", 0);
    await until("the bridge answers", () =>
      this.frames.slice(before).some(({ type }) => type === FrameType.alive),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#server.clients) client.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(socket: WebSocket): void {
    this.#socket = socket;
    this.send("challenge", 0, { version: LINK_VERSION, nonce: "0".repeat(64) });
    socket.on("message", (data: Buffer, isBinary) => {
      if (!isBinary) return socket.send("pong");
      for (const frame of decodeFrames(data).frames) this.#take(frame);
      return undefined;
    });
  }

  #take(frame: Frame): void {
    // Kept beyond the message's buffer.
    const kept = { ...frame, payload: Uint8Array.from(frame.payload) };
    this.frames.push(kept);
    this.onFrame(kept);
    if (frame.type === FrameType.nudge) this.send("alive", 0, encodeOffset(Date.now()));
    if (frame.type !== FrameType.hello) return;
    this.send("accepted", 0, { version: LINK_VERSION, now: Date.now() });
    this.greet();
    this.send("caughtUp", 0);
    this.linkCount++;
  }
}

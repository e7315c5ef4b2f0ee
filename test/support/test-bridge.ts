// Owns the bridge's end of a link in tests: it gets into a room, answers nudges, gives grants and
// sends and awaits frames. What answers tunnelled requests stands in request-server.ts.

import { sign } from "node:crypto";
import type * as z from "zod/mini";
import type { HttpTunnel } from "../../bridge/doors/http/http-tunnel.ts";
import type { Frame } from "../../protocol/frame.ts";
import { decodeFrames, encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { GrantsUpdate, Role } from "../../protocol/grant.ts";
import { toPayload } from "../../protocol/json.ts";
import { STREAM_WINDOW, LINK_VERSION } from "../../protocol/limits.ts";
import type { Hello } from "../../protocol/link.ts";
import { Challenge, helloText, KNOCK_HEADER, PeerJoined } from "../../protocol/link.ts";
import { encodeOffset, encodeOutputFrame } from "../../protocol/output.ts";
import { toText } from "../../protocol/text.ts";
import type { Identity, Token } from "./credentials.ts";
import { newIdentity, newInstance, newToken } from "./credentials.ts";
import { messageBody, getName, read } from "./frames.ts";
import { Inbox } from "./inbox.ts";
import type { TestRelay } from "./relay.ts";
import type { Answering, Handler } from "./request-server.ts";
import { realTunnel, RequestServer } from "./request-server.ts";
import type { TestSocket } from "./test-socket.ts";
import { until, within } from "./waiting.ts";

export interface Dialling {
  readonly identity?: Identity;
  readonly instance?: string;
  readonly epoch?: number;
  /** Changes the hello before it is signed. */
  readonly change?: Partial<Hello>;
  readonly signature?: () => string;
  /** False: leaves every nudge unanswered. */
  readonly answers?: boolean;
  /** Said with the request, by which the room may know it again. */
  readonly knock?: string;
  /** False: says no hello. */
  readonly hello?: boolean;
}

export interface TestPeer {
  readonly socket: TestSocket;
  readonly number: number;
  readonly grant: string;
  readonly raw: boolean;
}

/** The bridge's end of a link, as thin as can be. */
export class TestBridge {
  readonly relay: TestRelay;
  readonly workspace: string;
  readonly identity: Identity;
  readonly instance: string;
  readonly socket: TestSocket;
  readonly frames = new Inbox<Frame>((frame) => `${getName(frame.type)}(${frame.stream})`);
  answers: boolean;
  /** Gives credit for every byte of a request's body as it comes. */
  givesCredit = true;
  readonly #bodies = new Map<number, number>();
  nonce = "";
  lastHello: Hello | undefined;

  constructor(relay: TestRelay, workspace: string, dialling: Dialling = {}) {
    this.relay = relay;
    this.workspace = workspace;
    this.identity = dialling.identity ?? newIdentity();
    this.instance = dialling.instance ?? newInstance();
    this.answers = dialling.answers ?? true;
    const { knock } = dialling;
    const headers = knock === undefined ? {} : { [KNOCK_HEADER]: knock };
    this.socket = relay.dial(`/w/${workspace}/bridge`, [], headers);
    this.socket.raw.on("message", (data: Buffer, isBinary) => {
      if (!isBinary) return;
      const decoded = decodeFrames(data);
      if (!decoded.ok) throw new Error(`the room sent no frame: ${decoded.error.fault}`);
      for (const frame of decoded.frames) this.#take(frame, dialling);
    });
  }

  /**
   * A bridge that has the room. A relay takes so many new ones in a while and no more [R40]: one that
   * came too soon tries again, whatever else the tests of a file do meanwhile.
   */
  static async up(relay: TestRelay, workspace: string, dialling?: Dialling): Promise<TestBridge> {
    const dial = () => new TestBridge(relay, workspace, dialling);
    let bridge = dial();
    const isTaken = async () => {
      const problem = await bridge.socket.opened.then(() => "", String);
      if (!problem.includes("answered 429")) return true;
      bridge = dial();
      return false;
    };
    await until("the relay takes another bridge", isTaken, { pollMs: 100 });
    const refused = bridge.socket.closed.then(async ({ code, reason }) => {
      const opened = await bridge.socket.opened.then(() => "it was open", String);
      throw new Error(`the link was closed: ${code} ${reason} (${opened})`);
    });
    await Promise.race([bridge.next("caughtUp"), refused]);
    return bridge;
  }

  send(
    type: keyof typeof FrameType,
    stream: number,
    payload?: Uint8Array | object,
    flags?: number,
  ): void {
    const bytes =
      payload === undefined || payload instanceof Uint8Array ? payload : toPayload(payload);
    this.socket.raw.send(encodeFrame(FrameType[type], stream, bytes, flags));
  }

  output(channel: number, offset: number, text: string, flags?: number): void {
    const body = Buffer.from(text);
    this.socket.raw.send(encodeOutputFrame(channel, offset, body.length, body, flags));
  }

  next(type: keyof typeof FrameType, stream?: number, milliseconds?: number): Promise<Frame> {
    const wanted = FrameType[type];
    const matches = (frame: Frame) =>
      frame.type === wanted && (stream === undefined || frame.stream === stream);
    return this.frames.next(`${type}(${stream ?? "any"})`, matches, milliseconds);
  }

  /** The text of the next message of a person. */
  async nextText(number: number): Promise<string> {
    return toText(messageBody(await this.next("peerMessage", number)));
  }

  /** The next frame of a type, read; and which stream it was on. */
  async nextRead<T>(
    type: keyof typeof FrameType,
    schema: z.ZodMiniType<T>,
    stream?: number,
  ): Promise<T & { stream: number }> {
    const frame = await this.next(type, stream);
    return { ...read(schema, frame), stream: frame.stream };
  }

  /** Returns once the room has handled everything sent before. */
  async settle(): Promise<void> {
    this.send("nudge", 0);
    await this.next("alive");
  }

  async grant(role: Role, expiresAt: number | null = null): Promise<Token> {
    const token = newToken(role, expiresAt);
    await this.grants({ replace: false, add: [token.record], remove: [] });
    return token;
  }

  async grants(update: GrantsUpdate): Promise<void> {
    this.send("grants", 0, update);
    await this.settle();
  }

  /** A person who came in, and the number that the bridge was told. */
  peer(token: string): Promise<TestPeer> {
    return this.#peer(this.relay.peer(this.workspace, token));
  }

  /** One who speaks the raw rendition. */
  rawPeer(token: string): Promise<TestPeer> {
    return this.#peer(this.relay.rawPeer(this.workspace, token));
  }

  async #peer(socket: TestSocket): Promise<TestPeer> {
    const { stream, grant, raw } = await this.nextRead("peerJoined", PeerJoined);
    await within(socket.opened, "the peer's socket did not open");
    return { socket, number: stream, grant, raw: raw === true };
  }

  /** Everything sent before has come to this peer. */
  async reach({ socket, number }: Pick<TestPeer, "socket" | "number">): Promise<void> {
    this.send("peerSend", number, Buffer.from("<end>"));
    await socket.text((text) => text === "<end>");
  }

  /** Answers every tunnelled request, once its body is whole. */
  serve(answer: Answering): void {
    const server = new RequestServer(answer, (type, stream, payload) =>
      this.send(type, stream, payload),
    );
    this.#listen((frame) => server.take(frame));
  }

  /** Serves every tunnelled request as a real bridge does. Returns its tunnel. */
  handle(handler: Handler, isGood: (grant: string) => boolean = () => true): HttpTunnel {
    this.givesCredit = false;
    const tunnel = realTunnel(this.socket, handler, isGood);
    this.#listen((frame) => {
      if (frame.type >= FrameType.streamOpen && frame.type <= FrameType.streamCredit) {
        tunnel.onFrame(frame);
      }
    });
    this.socket.raw.on("close", () => tunnel.dropAll("the link was lost"));
    return tunnel;
  }

  #listen(take: (frame: Frame) => void): void {
    this.socket.raw.on("message", (data: Buffer, isBinary) => {
      const decoded = isBinary ? decodeFrames(data) : undefined;
      for (const frame of decoded?.frames ?? []) take(frame);
    });
  }

  end(): void {
    this.socket.end();
  }

  #take(frame: Frame, dialling: Dialling): void {
    if (frame.type === FrameType.nudge && this.answers) this.send("alive", 0);
    if (frame.type === FrameType.challenge) {
      this.nonce = read(Challenge, frame).nonce;
      if (dialling.hello !== false) this.sendHello(dialling);
    }
    if (frame.type === FrameType.streamData && this.givesCredit) {
      const received = (this.#bodies.get(frame.stream) ?? 0) + frame.payload.length;
      this.#bodies.set(frame.stream, received);
      this.send("streamCredit", frame.stream, encodeOffset(received + STREAM_WINDOW));
    }
    this.frames.put(frame);
  }

  /** A hello for this socket's challenge, signed. */
  hello({ epoch = 1, change = {}, signature }: Dialling = {}): Hello {
    const hello: Hello = {
      version: LINK_VERSION,
      workspace: this.workspace,
      origin: `http://${this.relay.host}`,
      publicKey: this.identity.publicKey,
      signature: "",
      instance: this.instance,
      epoch,
      software: "test",
      ...change,
    };
    const text = Buffer.from(helloText(this.nonce, hello));
    const signed = sign(null, text, this.identity.privateKey).toString("hex");
    return { ...hello, signature: signature?.() ?? signed };
  }

  sendHello(dialling?: Dialling): void {
    this.lastHello = this.hello(dialling);
    this.send("hello", 0, this.lastHello);
  }
}

// Owns a real relay for tests: the built Worker in workerd, with a probe beside it that tells what
// the room holds, and clients that speak to it as a bridge and as people do. Everything here is
// disposable, and every wait ends with a sentence.

import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { request as httpRequest } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { MiniflareOptions } from "miniflare";
import { Log, LogLevel, Miniflare } from "miniflare";
import { WebSocket } from "ws";
import * as z from "zod/mini";
import { createLog } from "../../bridge/log.ts";
import type { Handler } from "../../bridge/tunnel/tunnel.ts";
import { Tunnel } from "../../bridge/tunnel/tunnel.ts";
import { BodySender } from "../../protocol/body-sender.ts";
import type { Frame } from "../../protocol/frame.ts";
import { decodeFrames, encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { GrantRecord, GrantsUpdate, Role } from "../../protocol/grant.ts";
import { StreamOpen } from "../../protocol/http.ts";
import { parsePayload, toPayload } from "../../protocol/json.ts";
import { STREAM_WINDOW } from "../../protocol/limits.ts";
import type { Hello } from "../../protocol/link.ts";
import { Challenge, helloText, PeerJoined } from "../../protocol/link.ts";
import { decodeOffset, encodeOffset, encodeOutputFrame } from "../../protocol/output.ts";
import { SUBPROTOCOL } from "../../protocol/version.ts";

const WAIT_MS = 8_000;
const WORKER = join(import.meta.dirname, "../../dist/relay/worker.js");
const PAGE = "<!doctype html><title>pairpty</title>";

/**
 * A Worker around the built one: `/probe/:workspace` tells of a room's inside, and rooms whose name
 * begins with "broken-" throw. Attachments decoded are counted for the whole isolate.
 */
const PROBE = `
import worker, { WorkspaceRoom as Room } from "./worker.js";
let decoded = 0;
const original = WebSocket.prototype.deserializeAttachment;
WebSocket.prototype.deserializeAttachment = function () { decoded++; return original.call(this); };
export class WorkspaceRoom extends Room {
  #boot = crypto.randomUUID();
  probe() {
    return { boot: this.#boot, decoded, keys: [...this.ctx.storage.kv.list()].map(([key]) => key) };
  }
  onRequest(request) {
    if (this.name.startsWith("broken-")) throw new Error("secret of the room");
    return super.onRequest(request);
  }
  onConnect(connection, context) {
    const people = new URL(context.request.url).pathname === "/peer";
    if (people && this.name.startsWith("broken-")) throw new Error("secret of the room");
    if (people) this.seen = [context.request.url, ...context.request.headers.keys()];
    return super.onConnect(connection, context);
  }
  lastPeer() { return this.seen; }
}
export default {
  async fetch(request, env, ctx) {
    const [, area, workspace, what] = new URL(request.url).pathname.split("/");
    if (area !== "probe") return worker.fetch(request, env, ctx);
    const room = env.WORKSPACE.get(env.WORKSPACE.idFromName(workspace));
    return Response.json(what === "peer" ? await room.lastPeer() : await room.probe());
  },
};
`;

export interface RelayOptions {
  /** Bindings beside LOOPBACK_PORT; false for a relay that believes itself public. */
  readonly loopback?: boolean;
  readonly bindings?: Record<string, string>;
}

const Probe = z.object({ boot: z.string(), decoded: z.int(), keys: z.array(z.string()) });
export type Probe = z.infer<typeof Probe>;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  readonly token?: string;
}

export class TestRelay {
  readonly port: number;
  /** Everything that workerd printed. */
  readonly log: readonly string[];
  readonly #folder: string;
  #miniflare: Miniflare;
  readonly #open = new Set<{ end(): void }>();
  readonly #options: MiniflareOptions;

  private constructor(
    port: number,
    folder: string,
    log: readonly string[],
    options: MiniflareOptions,
  ) {
    this.port = port;
    this.log = log;
    this.#folder = folder;
    this.#options = options;
    this.#miniflare = new Miniflare(options);
  }

  /** Another process may take the port that was found free; then with another one. */
  static async start(options: RelayOptions = {}): Promise<TestRelay> {
    for (let tries = 1; ; tries++) {
      try {
        return await TestRelay.#start(options);
      } catch (error) {
        if (tries === 3 || !String(error).includes("in use")) throw error;
      }
    }
  }

  static async #start({ loopback = true, bindings = {} }: RelayOptions): Promise<TestRelay> {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), "pairpty-relay-"));
    const assets = join(folder, "web");
    mkdirSync(join(assets, "assets"), { recursive: true });
    writeFileSync(join(assets, "index.html"), PAGE);
    writeFileSync(join(assets, "assets", "app-0123abcd.js"), "export {};");
    const log: string[] = [];
    const relay = new TestRelay(port, folder, log, {
      name: "pairpty-relay",
      modules: [
        { type: "ESModule", path: "probe.js", contents: PROBE },
        { type: "ESModule", path: "worker.js", contents: readFileSync(WORKER, "utf8") },
      ],
      host: "127.0.0.1",
      port,
      log: new Log(LogLevel.NONE),
      handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
        stdout.on("data", (part: Buffer) => log.push(part.toString()));
        stderr.on("data", (part: Buffer) => log.push(part.toString()));
      },
      compatibilityDate: "2026-04-26",
      compatibilityFlags: ["enable_request_signal"],
      bindings: { ...(loopback ? { LOOPBACK_PORT: String(port) } : {}), ...bindings },
      durableObjects: { WORKSPACE: { className: "WorkspaceRoom", useSQLite: true } },
      durableObjectsPersist: join(folder, "rooms"),
      assets: {
        directory: assets,
        binding: "ASSETS",
        routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
      },
    });
    await within(relay.#miniflare.ready, "workerd did not start", 30_000);
    return relay;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The same code and storage in a new workerd, as after `wrangler deploy`. */
  async redeploy(): Promise<void> {
    await this.#miniflare.setOptions({
      ...this.#options,
      bindings: { LOOPBACK_PORT: String(this.port), DEPLOYED: String(Date.now()) },
    });
    await this.#miniflare.ready;
  }

  /** Ends workerd and starts another on the same port and storage. */
  async restart(): Promise<void> {
    await this.#miniflare.dispose();
    this.#miniflare = new Miniflare(this.#options);
    await within(this.#miniflare.ready, "workerd did not start again", 30_000);
  }

  /** Whether any file of the rooms' storage has these bytes in it. */
  isOnDisk(bytes: string): boolean {
    const rooms = join(this.#folder, "rooms");
    return readdirSync(rooms, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .some((entry) => readIfThere(join(entry.parentPath, entry.name)).includes(bytes));
  }

  async probe(workspace: string): Promise<Probe> {
    const { text } = await this.ask(`/probe/${workspace}`);
    return Probe.parse(JSON.parse(text));
  }

  /** Plain HTTP with headers exactly as given. */
  ask(path: string, { method = "GET", headers = {}, body, token }: Asking = {}): Promise<Answer> {
    const asked = new Promise<Answer>((resolve, reject) => {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const setHost = !Object.keys(headers).some((name) => name.toLowerCase() === "host");
      const request = httpRequest({
        host: "127.0.0.1",
        port: this.port,
        path,
        method,
        setHost,
        agent: false,
        headers: { ...authorization, ...headers },
      });
      request.on("error", reject);
      // A relay that answers before it has read the whole body may end the connection under it.
      request.on("socket", (socket) => socket.on("error", () => undefined));
      request.on("response", (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(parts).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      request.end(body);
    });
    return within(asked, `no answer to ${method} ${path}`, 40_000);
  }

  dial(path: string, protocols: string[] = [], headers: Record<string, string> = {}): TestSocket {
    const socket = new TestSocket(`ws://${this.host}${path}`, protocols, headers);
    this.#open.add(socket);
    return socket;
  }

  peer(workspace: string, token: string): TestSocket {
    return this.dial(`/parties/workspace/${workspace}`, [SUBPROTOCOL, token]);
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.end();
    await this.#miniflare.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A queue that can be waited on; what nobody waited for stays in it. */
class Inbox<T> {
  readonly #items: T[] = [];
  readonly #waiting: { matches: (item: T) => boolean; resolve: (item: T) => void }[] = [];
  readonly #describe: (item: T) => string;

  constructor(describe: (item: T) => string) {
    this.#describe = describe;
  }

  get items(): readonly T[] {
    return this.#items;
  }

  put(item: T): void {
    const index = this.#waiting.findIndex(({ matches }) => matches(item));
    if (index < 0) this.#items.push(item);
    else this.#waiting.splice(index, 1)[0]?.resolve(item);
  }

  next(what: string, matches: (item: T) => boolean, milliseconds = WAIT_MS): Promise<T> {
    const present = this.#items.find(matches);
    if (present !== undefined) {
      this.#items.splice(this.#items.indexOf(present), 1);
      return Promise.resolve(present);
    }
    const came = new Promise<T>((resolve) => this.#waiting.push({ matches, resolve }));
    const rest = () => this.#items.map(this.#describe).join(", ");
    return within(came, () => `${what} did not come; there is: [${rest()}]`, milliseconds);
  }
}

/** Any WebSocket client. Text and bytes that came, and how it ended. */
export class TestSocket {
  readonly raw: WebSocket;
  readonly opened: Promise<string>;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #texts = new Inbox<string>((text) => text.slice(0, 80));
  readonly binary: Uint8Array[] = [];
  /** Answers to keepalives, of which the first is sent by itself. */
  pongs = 0;

  constructor(url: string, protocols: string[], headers: Record<string, string>) {
    this.raw = new WebSocket(url, protocols, { headers, perMessageDeflate: false });
    this.raw.binaryType = "nodebuffer";
    const opened = new Promise<string>((resolve, reject) => {
      this.raw.on("open", () => {
        // As real clients do, and needed: workerd ends the TCP connection of a client that it
        // closes only if that client has ever sent anything. The close frame itself comes at once.
        this.raw.send("ping");
        resolve(this.raw.protocol);
      });
      this.raw.on("error", reject);
      this.raw.on("unexpected-response", (_request, response) => {
        reject(new Error(`the upgrade was answered ${response.statusCode}`));
        response.resume();
      });
    });
    opened.catch(() => undefined);
    this.opened = opened;
    this.closed = new Promise((resolve) => {
      this.raw.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    this.raw.on("message", (data: Buffer, isBinary) => {
      const text = isBinary ? undefined : data.toString();
      if (text === undefined) this.binary.push(data);
      else if (text === "pong") this.pongs++;
      else this.#texts.put(text);
    });
  }

  get texts(): readonly string[] {
    return this.#texts.items;
  }

  text(
    matches: (text: string) => boolean,
    what = "a text",
    milliseconds?: number,
  ): Promise<string> {
    return this.#texts.next(what, matches, milliseconds);
  }

  bridge(state: "here" | "away"): Promise<string> {
    const matches = (text: string) => text.includes(`"state":"${state}"`);
    return this.#texts.next(`bridge: ${state}`, matches);
  }

  end(): void {
    this.raw.terminate();
  }

  close(what = "the socket was not closed", milliseconds = WAIT_MS): Promise<{ code: number }> {
    return within(this.closed, what, milliseconds);
  }
}

export interface Identity {
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

export function newIdentity(): Identity {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "jwk" }).x ?? "";
  return { publicKey: Buffer.from(raw, "base64url").toString("hex"), privateKey };
}

export function newInstance(): string {
  return randomBytes(16).toString("hex");
}

export function newWorkspace(prefix = "room"): string {
  return `${prefix}-${randomBytes(6).toString("hex")}`;
}

export interface Token {
  readonly token: string;
  readonly record: GrantRecord;
}

export function newToken(role: Role, expiresAt: number | null = null): Token {
  const id = randomBytes(5).toString("hex");
  const token = `pp_${id}_${randomBytes(16).toString("hex")}`;
  const hash = createHash("sha256").update(token).digest("hex");
  return { token, record: { id, role, scopes: [], label: "test", hash, expiresAt } };
}

export interface Dialling {
  readonly identity?: Identity;
  readonly instance?: string;
  readonly epoch?: number;
  /** Changes the hello before it is signed. */
  readonly change?: Partial<Hello>;
  readonly signature?: () => string;
  /** False: leaves every nudge unanswered. */
  readonly answers?: boolean;
  /** False: says no hello. */
  readonly hello?: boolean;
}

/** The bridge's end of a link, as thin as can be. */
export class TestBridge {
  readonly relay: TestRelay;
  readonly workspace: string;
  readonly identity: Identity;
  readonly instance: string;
  readonly socket: TestSocket;
  readonly frames = new Inbox<Frame>((frame) => `${nameOf(frame.type)}(${frame.stream})`);
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
    this.socket = relay.dial(`/w/${workspace}/bridge`);
    this.socket.raw.on("message", (data: Buffer, isBinary) => {
      if (!isBinary) return;
      const decoded = decodeFrames(data);
      if (!decoded.ok) throw new Error(`the room sent no frame: ${decoded.error.fault}`);
      for (const frame of decoded.frames) this.#take(frame, dialling);
    });
  }

  /** A bridge that has the room. */
  static async up(relay: TestRelay, workspace: string, dialling?: Dialling): Promise<TestBridge> {
    const bridge = new TestBridge(relay, workspace, dialling);
    const refused = bridge.socket.closed.then(({ code, reason }) => {
      throw new Error(`the link was closed: ${code} ${reason}`);
    });
    await Promise.race([bridge.next("caughtUp"), refused]);
    return bridge;
  }

  send(type: keyof typeof FrameType, stream: number, payload?: Uint8Array | object): void {
    const bytes =
      payload === undefined || payload instanceof Uint8Array ? payload : toPayload(payload);
    this.socket.raw.send(encodeFrame(FrameType[type], stream, bytes));
  }

  output(channel: number, offset: number, text: string): void {
    const body = Buffer.from(text);
    this.socket.raw.send(encodeOutputFrame(channel, offset, body.length, body));
  }

  next(type: keyof typeof FrameType, stream?: number, milliseconds?: number): Promise<Frame> {
    const wanted = FrameType[type];
    const matches = (frame: Frame) =>
      frame.type === wanted && (stream === undefined || frame.stream === stream);
    return this.frames.next(`${type}(${stream ?? "any"})`, matches, milliseconds);
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
  async peer(token: string): Promise<{ socket: TestSocket; number: number; grant: string }> {
    const socket = this.relay.peer(this.workspace, token);
    const joined = await this.nextRead("peerJoined", PeerJoined);
    await within(socket.opened, "the peer's socket did not open");
    return { socket, number: joined.stream, grant: joined.grant };
  }

  /** Answers every tunnelled request, once its body is whole. */
  serve(answer: (path: string, body: Buffer, head: StreamOpen) => ServedAnswer): void {
    this.#listen((frame) => this.#serve(frame, answer));
  }

  /** Serves every tunnelled request as a real bridge does. Returns its tunnel. */
  handle(handler: Handler, isGood: (grant: string) => boolean = () => true): Tunnel {
    this.givesCredit = false;
    const link = {
      send: (type: number, stream: number, payload?: Uint8Array) =>
        this.socket.raw.send(encodeFrame(type, stream, payload)),
      sendBytes: (frames: Uint8Array) => this.socket.raw.send(frames),
    };
    const grants = {
      lookUp: (id: string) =>
        isGood(id) ? { ...newToken("edit").record, id, session: true } : undefined,
    };
    const tunnel = new Tunnel(
      link,
      grants,
      handler,
      createLog("silent", () => undefined),
    );
    this.#listen((frame) => {
      if (frame.type >= FrameType.streamOpen && frame.type <= FrameType.streamCredit) {
        tunnel.frame(frame);
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

  readonly #requests = new Map<number, { head: StreamOpen; parts: Uint8Array[] }>();
  readonly #answering = new Map<number, BodySender>();

  #serve(frame: Frame, answer: Parameters<TestBridge["serve"]>[0]): void {
    const { stream } = frame;
    if (frame.type === FrameType.streamOpen) {
      this.#requests.set(stream, { head: read(StreamOpen, frame), parts: [] });
    }
    if (frame.type === FrameType.streamCredit) {
      this.#answering.get(stream)?.raise(decodeOffset(frame.payload) ?? 0);
    }
    const request = this.#requests.get(stream);
    if (request === undefined) return;
    if (frame.type === FrameType.streamData) request.parts.push(frame.payload);
    if (frame.type !== FrameType.streamEnd) return;
    this.#requests.delete(stream);
    const {
      status = 200,
      headers = [],
      body = "",
    } = answer(request.head.path, Buffer.concat(request.parts), request.head);
    this.send("streamHead", stream, { status, headers });
    void this.sendBody(stream, Buffer.from(body));
  }

  /** A whole body within its credit, then the end. */
  async sendBody(stream: number, body: Uint8Array): Promise<void> {
    const sender = new BodySender((piece) => this.send("streamData", stream, piece));
    this.#answering.set(stream, sender);
    await sender.pump(new Blob([new Uint8Array(body)]).stream().getReader());
    this.#answering.delete(stream);
    this.send("streamEnd", stream);
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
      version: 1,
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

export interface ServedAnswer {
  readonly status?: number;
  readonly headers?: [string, string][];
  readonly body?: string | Uint8Array;
}

/** What a JSON frame says; one that does not fit its schema is the room's mistake. */
export function read<T>(schema: z.ZodMiniType<T>, frame: Frame): T {
  const parsed = parsePayload(schema, frame.payload);
  if (!parsed.ok) throw new Error(`${nameOf(frame.type)} does not fit: ${parsed.error}`);
  return parsed.value;
}

/** For what has no event: looks until it is so. */
export async function until(
  sentence: string,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = Date.now() + WAIT_MS;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`not so after ${WAIT_MS} ms: ${sentence}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function within<T>(
  promise: Promise<T>,
  otherwise: string | (() => string),
  milliseconds = WAIT_MS,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const sentence = typeof otherwise === "string" ? otherwise : otherwise();
      reject(new Error(`${sentence} (waited ${milliseconds} ms)`));
    }, milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Journals of other rooms come and go while one looks. */
function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

function nameOf(type: number): string {
  return Object.entries(FrameType).find(([, number]) => number === type)?.[0] ?? String(type);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

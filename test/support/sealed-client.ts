// Owns a page of a sealed room for tests, without a browser: the page's own handshake, session and
// opener over a real socket. Follows terminals by offset and shakes hands again when asked to.

import { WebSocket } from "ws";
import { decodeFrames } from "../../protocol/frame.ts";
import type { Frame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { ACK_MS, RAW_SUBPROTOCOL } from "../../protocol/limits.ts";
import { decodeOffset, decodeOutput, encodeAcks, PROOF_CHANNEL } from "../../protocol/output.ts";
import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { deriveLinkKeys } from "../../protocol/sealed/derivation.ts";
import type { SealedLink } from "../../protocol/sealed/link.ts";
import { parseSealedLink } from "../../protocol/sealed/link.ts";
import type { ChannelKey } from "../../protocol/sealed/messages.ts";
import { SealedFrame } from "../../protocol/sealed/messages.ts";
import { decodeSealedOutput, SEALED_OUTPUT } from "../../protocol/sealed/output-record.ts";
import { RecordKind } from "../../protocol/sealed/record.ts";
import { toText } from "../../protocol/text.ts";
import type { OpenedOutput } from "../../web/sealed/channel-opener.ts";
import { ChannelOpener } from "../../web/sealed/channel-opener.ts";
import type { PendingHandshake } from "../../web/sealed/page-handshake.ts";
import { startHandshake } from "../../web/sealed/page-handshake.ts";
import { PageSession } from "../../web/sealed/page-session.ts";
import type { SealedRequest } from "../../web/sealed/sealed-requests.ts";
import { sealRequest, toOuterPath } from "../../web/sealed/sealed-requests.ts";
import { compute } from "../../web/sealed/web-crypto.ts";
import type { Message } from "./plain-client.ts";
import { PATIENCE_MS, untilWoken } from "./waiting.ts";

/** What the client knows of one terminal. */
export interface SealedView {
  readonly id: string;
  readonly channel: number;
  readonly epoch: number;
  /** Everything shown since the last new start. */
  text: string;
  next: number;
  /** How often the bridge sent a snapshot. */
  snapshots: number;
}

export interface SealedPageDeps {
  /** The page's whole address, with the fragment. */
  readonly link: string;
  /** Sends on the page's socket. */
  send(data: string | Uint8Array): void;
}

/** The page behind a socket of any kind. */
export class SealedPage {
  /** Messages from records, in order. */
  readonly messages: Message[] = [];
  /** Messages that came in the clear. */
  readonly clear: Message[] = [];
  readonly views = new Map<string, SealedView>();
  /** Every sealed output frame, as it came. */
  readonly frames: Frame[] = [];
  readonly faults: unknown[] = [];
  /** Output that did not open, and why. */
  readonly refused: OpenedOutput[] = [];
  handshakes = 0;
  closed: { code: number; reason: string } | undefined;
  readonly #deps: SealedPageDeps;
  readonly #link: SealedLink;
  readonly #openers = new Map<number, ChannelOpener>();
  readonly #watchers = new Set<() => void>();
  #pending: PendingHandshake | undefined;
  #session: PageSession | undefined;

  constructor(deps: SealedPageDeps, link: SealedLink) {
    this.#deps = deps;
    this.#link = link;
  }

  /** Takes a message from the socket. */
  onMessage(data: Uint8Array, isBinary: boolean): void {
    if (isBinary) for (const frame of decodeFrames(data).frames) this.onFrame(frame);
    else this.#onClear(toText(data));
    this.#wake();
  }

  onClose(code: number, reason: string): void {
    this.closed = { code, reason };
    this.#wake();
  }

  get session(): PageSession {
    if (this.#session === undefined) throw new Error("no session");
    return this.#session;
  }

  /** Sends a message in a record. */
  send(message: object): void {
    this.session.send(JSON.stringify(message));
  }

  attach(id: string, place: { epoch?: number; offset?: number } = {}): void {
    this.send({ type: "pty:attach", id, ...place });
  }

  type(id: string, data: string): void {
    this.send({ type: "pty:input", id, data });
  }

  view(id: string): SealedView {
    const view = this.views.get(id);
    if (view === undefined) throw new Error(`not attached to ${id}`);
    return view;
  }

  async until<T>(find: () => T | undefined | false, what: string): Promise<T> {
    return await untilWoken(this.#watchers, find, PATIENCE_MS, () => `${what}; ${this.#summary()}`);
  }

  async shows(id: string, part: RegExp): Promise<void> {
    await this.until(() => part.test(this.views.get(id)?.text ?? ""), `${part} was not shown`);
  }

  async message(fits: (message: Message) => boolean, what: string): Promise<Message> {
    return await this.until(() => this.messages.find(fits), `${what} did not come`);
  }

  /** Opens a terminal and returns its id. */
  async spawn(): Promise<string> {
    const before = this.messages.length;
    this.send({ type: "pty:spawn", id: "spawn-1" });
    const answer = await this.until(
      () => this.messages.slice(before).find(({ type }) => type === "pty:spawned"),
      "no terminal",
    );
    const { terminal } = answer;
    return isRecordWithId(terminal) ? terminal.id : "";
  }

  /** Sends a sealed HTTP request, as the page does; `change` alters the bytes on their way. */
  async request(
    path: string,
    options: Partial<Pick<SealedRequest, "method" | "body">> = {},
    change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> = (bytes) => bytes,
  ): Promise<Response> {
    const { method = "GET", body } = options;
    const sealed = await sealRequest(this.session, { method, path, body });
    const bytes = change(new Uint8Array(await sealed.body.arrayBuffer()));
    return await sealed.open(await this.post(toOuterPath({ body }), bytes));
  }

  /** Posts bytes with the link's ticket; resolves with the answer as the relay sees it. */
  async post(path: string, body: Uint8Array<ArrayBuffer> | ReadableStream): Promise<Response> {
    const { origin, pathname } = new URL(this.#deps.link);
    const { ticket } = await readLink(this.#deps.link);
    const headers = { authorization: `Bearer ${ticket}` };
    const url = `${origin}/w/${pathname.split("/")[2]}${path}`;
    // The types of browsers do not have `duplex`, which Node needs for a stream.
    const init = { method: "POST", headers, body, duplex: "half" };
    return await fetch(url, init);
  }

  async closes(): Promise<{ code: number; reason: string }> {
    return await this.until(() => this.closed, "the socket stays open");
  }

  /** Returns the numbers of the keys under which output came. */
  keyNumbers(): Set<number | undefined> {
    return new Set(
      this.frames.map(({ payload }) => {
        const output = decodeOutput(payload);
        return output && decodeSealedOutput(Uint8Array.from(output.body))?.keyNumber;
      }),
    );
  }

  /** Tries to open a frame that another client got, with the keys that this one has. */
  async tryOpen({ stream, payload }: Frame): Promise<OpenedOutput["is"]> {
    const output = decodeOutput(payload);
    if (output === undefined) throw new Error("not an output frame");
    const opener = this.#opener(stream);
    const { offset, span, body } = output;
    const started = opener.start({ channel: stream, offset, span }, Uint8Array.from(body));
    return (await opener.finish(started)).is;
  }

  /** Starts a handshake, the first one or another. */
  async shakeHands(): Promise<void> {
    this.#session?.end();
    this.#session = undefined;
    const { origin, pathname } = new URL(this.#deps.link);
    const deps = { link: this.#link, workspace: pathname.split("/")[2] ?? "", origin };
    const pending = await startHandshake(deps, { v: 1 });
    this.#pending = pending;
    this.#deps.send(pending.hello);
  }

  async #onReady(payload: Bytes): Promise<void> {
    // Asked twice in a row, it started twice: an answer to the first hello does not open.
    const finished = await this.#pending?.finish(payload).catch(() => undefined);
    if (finished === undefined) return;
    const { keys } = finished;
    this.#pending = undefined;
    this.#session = await PageSession.open(keys, {
      send: (text) => this.#deps.send(text),
      receive: (kind, data) => this.#onRecord(kind, data),
      onFault: (error) => void this.faults.push(error),
    });
    this.handshakes++;
    for (const { id, epoch, next } of this.views.values()) this.attach(id, { epoch, offset: next });
    this.#wake();
  }

  onFrame(frame: Frame): void {
    const payload = Uint8Array.from(frame.payload);
    switch (frame.type) {
      case SealedFrame.ready:
        return void this.#onReady(payload);
      case SealedFrame.again:
        return void this.shakeHands();
      case SealedFrame.record:
        return this.#session?.receive(frame.flags === RecordKind.output ? 2 : 1, payload);
      case FrameType.proof:
        return this.#deps.send(
          encodeAcks(0, [{ channel: PROOF_CHANNEL, offset: decodeOffset(payload) ?? 0 }]),
        );
      case FrameType.output:
        return this.#onSealedOutput({ ...frame, payload });
      default:
        return undefined;
    }
  }

  #onSealedOutput(frame: Frame): void {
    this.frames.push(frame);
    const output = decodeOutput(frame.payload);
    if (output === undefined || (frame.flags & SEALED_OUTPUT) === 0) {
      this.refused.push({ is: "unknown key" });
      return;
    }
    const opener = this.#opener(frame.stream);
    const { offset, span } = output;
    const place = { channel: frame.stream, offset, span };
    const started = opener.start(place, Uint8Array.from(output.body));
    this.#session?.incoming.add(Promise.resolve(), async () => {
      const opened = await opener.finish(started);
      if (opened.is === "opened") this.#onOutput(frame.stream, offset, opened.body, span === 0);
      else this.refused.push(opened);
      if (opened.is === "gap") this.#attachAgain(frame.stream);
      this.#wake();
    });
  }

  #attachAgain(channel: number): void {
    for (const view of this.views.values())
      if (view.channel === channel) this.attach(view.id, { epoch: view.epoch, offset: view.next });
  }

  #onRecord(kind: RecordKind, data: Bytes): void {
    if (kind === RecordKind.text) this.#onText(JSON.parse(toText(data)));
    else {
      const [frame] = decodeFrames(data).frames;
      const output = frame && decodeOutput(frame.payload);
      if (frame !== undefined && output !== undefined)
        this.#onOutput(frame.stream, output.offset, output.body, false);
    }
    this.#wake();
  }

  #onOutput(channel: number, offset: number, body: Uint8Array, isEvent: boolean): void {
    // The channel of a panel carries messages.
    const isPanel = [...this.views.values()].every((view) => view.channel !== channel);
    if (isEvent || isPanel) return this.#onText(JSON.parse(toText(body)));
    for (const view of this.views.values()) {
      if (view.channel !== channel || offset > view.next) continue;
      const fresh = body.subarray(view.next - offset);
      view.text += toText(fresh);
      view.next += fresh.length;
    }
    return undefined;
  }

  #onText(message: Message): void {
    this.messages.push(message);
    if (message.type === "pty:attached") this.#onAttached(message);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a message of this type is one
    if (message.type === "pty:key") this.#opener(Number(message.channel)).setKey(message as never);
  }

  #onAttached(message: Message): void {
    const { id = "", channel, epoch = 0, offset = 0, snapshot } = message;
    const before = this.views.get(id);
    const isNew = typeof snapshot === "string";
    this.views.set(id, {
      id,
      channel: Number(channel),
      epoch,
      text: isNew ? snapshot : (before?.text ?? ""),
      next: offset,
      snapshots: (before?.snapshots ?? 0) + (isNew ? 1 : 0),
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a field of pty:attached
    const key = message["key"] as ChannelKey | undefined;
    if (key !== undefined) this.#opener(Number(channel)).setKey(key);
  }

  #opener(channel: number): ChannelOpener {
    const opener = this.#openers.get(channel) ?? new ChannelOpener();
    this.#openers.set(channel, opener);
    return opener;
  }

  #onClear(text: string): void {
    if (text !== "pong") this.clear.push(JSON.parse(text));
  }

  ack(): void {
    if (this.views.size === 0) return;
    const acks = Array.from(this.views.values(), ({ channel, next }) => ({
      channel,
      offset: next,
    }));
    this.#deps.send(encodeAcks(0, acks));
  }

  #wake(): void {
    for (const watcher of this.#watchers) watcher();
  }

  #summary(): string {
    const recent = this.messages.slice(-6).map((message) => JSON.stringify(message).slice(0, 160));
    const views = Array.from(this.views.values(), ({ id, next, text }) => `${id}@${next} ${text}`);
    const faults = this.faults.map(String);
    const refused = this.refused.map(({ is }) => is);
    const counts = `${this.handshakes} handshakes, refused ${refused.join()}, faults ${faults.join()}`;
    return `${counts}; ${views.join(", ")}; ${recent.join(", ")}; ${JSON.stringify(this.closed)}`;
  }
}

export interface SealedClientDeps {
  /** The page's whole address, with the fragment. */
  readonly link: string;
  /** Address of the room's sockets. */
  readonly peer: string;
}

/** A page with a real socket. */
export class SealedClient extends SealedPage {
  readonly socket: WebSocket;
  readonly #timer: NodeJS.Timeout;

  private constructor(socket: WebSocket, url: string, link: SealedLink) {
    super({ link: url, send: (data) => socket.send(data) }, link);
    this.socket = socket;
    socket.on("message", (data: Buffer, isBinary) => this.onMessage(data, isBinary));
    socket.on("close", (code, reason) => this.onClose(code, reason.toString()));
    socket.on("error", () => {});
    socket.on("open", () => void this.shakeHands());
    this.#timer = setInterval(() => {
      if (socket.readyState === WebSocket.OPEN) this.ack();
    }, ACK_MS);
  }

  /** Opens a socket with a sealed link and starts the handshake. */
  static async open({ link: url, peer }: SealedClientDeps): Promise<SealedClient> {
    const { link, ticket } = await readLink(url);
    const socket = new WebSocket(peer, [RAW_SUBPROTOCOL, ticket], { perMessageDeflate: false });
    return new SealedClient(socket, url, link);
  }

  /** The same; resolves when the handshake is done. */
  static async connect(deps: SealedClientDeps): Promise<SealedClient> {
    const client = await SealedClient.open(deps);
    await client.until(() => client.handshakes > 0, "no handshake");
    return client;
  }

  close(): void {
    clearInterval(this.#timer);
    this.socket.terminate();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Returns the parts of a sealed link, and the ticket that its page brings. */
export async function readLink(link: string): Promise<{ link: SealedLink; ticket: string }> {
  const url = new URL(link);
  const parsed = parseSealedLink(url.hash.slice(1));
  if (!parsed.ok) throw new Error(parsed.message);
  const workspace = url.pathname.split("/")[2] ?? "";
  const { ticket } = await compute(deriveLinkKeys(parsed.link, workspace));
  return { link: parsed.link, ticket };
}

function isRecordWithId(value: unknown): value is { readonly id: string } {
  return typeof value === "object" && value !== null && "id" in value;
}

// Owns a visit's messages in a sealed room: the handshakes on each socket, sealing what the page
// sends and opening what it receives, in order, and the keys of the channels. Does not own the
// socket or the meaning of messages.

import { decodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Output } from "../../protocol/output.ts";
import { decodeOutput } from "../../protocol/output.ts";
import type { Bytes } from "../../protocol/sealed/bytes.ts";
import { SealedFault } from "../../protocol/sealed/faults.ts";
import type { SealedLink } from "../../protocol/sealed/link.ts";
import type { ChannelKey, HelloPayload } from "../../protocol/sealed/messages.ts";
import { SealedFrame } from "../../protocol/sealed/messages.ts";
import { SEALED_OUTPUT } from "../../protocol/sealed/output-record.ts";
import type { OutputPlace } from "../../protocol/sealed/output-record.ts";
import { RecordKind } from "../../protocol/sealed/record.ts";
import { toText } from "../../protocol/text.ts";
import type { StartedOutput } from "./channel-opener.ts";
import { ChannelOpener } from "./channel-opener.ts";
import { InOrder } from "./in-order.ts";
import type { PendingHandshake } from "./page-handshake.ts";
import { startHandshake } from "./page-handshake.ts";
import { PageSession } from "./page-session.ts";

/** Longer than the host waits for a hello: a host that answers at all has answered by then. */
const ANSWER_MS = 15_000;

/** Shortest time between two hellos: `again` comes in the clear, so a relay can forge it. */
const AGAIN_MS = 1_000;

/** Output held for a key that is to come; as much as a room keeps for a page. */
const MAX_HELD_BYTES = 1 << 20;

export interface SealedLineDeps {
  readonly link: SealedLink;
  readonly workspace: string;
  /** Origin of the relay. */
  readonly origin: string;
  /** Returns the page's own details for a hello. */
  readonly hello: () => HelloPayload;
  /** Sends a text message on the socket; returns false if it was lost. */
  readonly send: (text: string) => boolean;
  /** Whether the host is connected, according to the room. */
  readonly isHostHere: () => boolean;
  /** Receives an unsealed message. Only the room sends those, even if one claims to be the host's. */
  readonly onRoomMessage: (text: string) => void;
  /** Receives a binary message of the room that has no content. */
  readonly onRoomFrame: (data: ArrayBuffer) => void;
  /** Receives a message of the host. */
  readonly onMessage: (text: string) => void;
  /** Receives a terminal's output, or an event in it. */
  readonly onOutput: (channel: number, output: Output) => void;
  /** Fires when output of a channel is missing: its terminal must be attached again. */
  readonly onGap: (channel: number) => void;
  /** Fires when a handshake begins: until the host's next message, nothing can be sent. */
  readonly onHandshake: () => void;
  /** Fires when a handshake is done, with the digits that the host sees, too. */
  readonly onDigits: (digits: string) => void;
  /** Fires for a message that was accepted and could not be sent. */
  readonly onLost: () => void;
  /** Fires once per socket, which must be replaced; `isVersion` if that would not help. */
  readonly onFault: (isVersion: boolean) => void;
}

interface ReceivedOutput {
  readonly place: OutputPlace;
  readonly body: Bytes;
  /** Absent if the channel had no key on arrival. */
  readonly started?: { readonly by: ChannelOpener; readonly output: StartedOutput } | undefined;
}

export class SealedLine {
  readonly #deps: SealedLineDeps;
  /** Counts handshakes and closed sockets: what an earlier one started no longer counts. */
  #attempt = 0;
  /** A handshake whose hello was sent. */
  #pending: PendingHandshake | undefined;
  #session: PageSession | undefined;
  #incoming = this.#createOrder();
  readonly #openers = new Map<number, ChannelOpener>();
  #held: ReceivedOutput[] = [];
  #heldBytes = 0;
  /** Channels with a new key, whose held output may open now. */
  readonly #keyed = new Set<number>();
  #startedAt = -Infinity;
  #answerTimer: ReturnType<typeof setTimeout> | undefined;
  #againTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: SealedLineDeps) {
    this.#deps = deps;
  }

  /** Shakes hands on a socket that has opened. */
  onOpen(): void {
    this.onClose();
    void this.#start();
  }

  /** Forgets the socket. Channel keys stay until the next handshake is done. */
  onClose(): void {
    this.#reset();
    this.#incoming = this.#createOrder();
  }

  /** Seals and sends a message; returns false without a session, or if it is too long. */
  send(text: string): boolean {
    return this.#session?.send(text) ?? false;
  }

  /** The session; undefined without one. */
  get session(): Pick<PageSession, "createRequest"> | undefined {
    return this.#session;
  }

  /** Takes a message from the socket. */
  receive(data: unknown): void {
    if (typeof data === "string") {
      return this.#incoming.addReady(() => this.#deliver(() => this.#deps.onRoomMessage(data)));
    }
    if (!(data instanceof ArrayBuffer)) return undefined;
    const frame = decodeFrame(new Uint8Array(data));
    if (frame === undefined) return undefined;
    const { byteOffset, length } = frame.payload;
    const payload = new Uint8Array(data, byteOffset, length);
    switch (frame.type) {
      case SealedFrame.record:
        if (frame.flags !== RecordKind.text && frame.flags !== RecordKind.output) return undefined;
        return this.#session?.receive(frame.flags, payload);
      case SealedFrame.ready:
        return void this.#finish(payload);
      case SealedFrame.again:
        // In order: messages before `again` belong to the session that it ends.
        return this.#incoming.addReady(() => this.#onAgain());
      case FrameType.proof:
        return this.#incoming.addReady(() => this.#deps.onRoomFrame(data));
      case FrameType.output:
        if ((frame.flags & SEALED_OUTPUT) === 0) return undefined;
        return this.#receiveOutput(frame.stream, payload);
      default:
        return undefined;
    }
  }

  /** Sets a channel's key, while `onMessage` handles the message that had it. */
  setKey(channel: number, key: ChannelKey): void {
    const opener = this.#openers.get(channel) ?? new ChannelOpener();
    opener.setKey(key);
    this.#openers.set(channel, opener);
    this.#keyed.add(channel);
  }

  #createOrder(): InOrder {
    const order: InOrder = new InOrder(() => {
      if (order === this.#incoming) this.#fail(false);
    });
    return order;
  }

  #reset(): void {
    this.#attempt += 1;
    this.#session?.end();
    this.#session = undefined;
    this.#pending = undefined;
    clearTimeout(this.#answerTimer);
    clearTimeout(this.#againTimer);
    this.#againTimer = undefined;
  }

  #fail(isVersion: boolean): void {
    this.#reset();
    this.#deps.onFault(isVersion);
  }

  async #start(): Promise<void> {
    this.#reset();
    const attempt = this.#attempt;
    const { link, workspace, origin, hello, send, onHandshake } = this.#deps;
    this.#startedAt = performance.now();
    onHandshake();
    try {
      const pending = await startHandshake({ link, workspace, origin }, hello());
      if (attempt !== this.#attempt) return;
      this.#pending = pending;
      send(pending.hello);
      this.#awaitAnswer();
    } catch {
      if (attempt === this.#attempt) this.#fail(false);
    }
  }

  /** Gives up after a time in which a host that is connected would have answered. */
  #awaitAnswer(): void {
    this.#answerTimer = setTimeout(() => {
      if (this.#deps.isHostHere()) this.#fail(false);
      else this.#awaitAnswer();
    }, ANSWER_MS);
  }

  /** Takes an answer to the hello. One that is not the host's changes nothing. */
  async #finish(payload: Bytes): Promise<void> {
    const attempt = this.#attempt;
    const pending = this.#pending;
    if (pending === undefined) return;
    try {
      const { keys } = await pending.finish(payload);
      if (this.#pending !== pending) return;
      this.#pending = undefined;
      clearTimeout(this.#answerTimer);
      clearTimeout(this.#againTimer);
      this.#againTimer = undefined;
      const session = await PageSession.open(keys, {
        send: (text) => {
          if (!this.#deps.send(text)) this.#deps.onLost();
        },
        receive: (kind, data) => this.#onRecord(kind, data),
        onLost: () => this.#deps.onLost(),
        onFault: () => {
          if (attempt === this.#attempt) this.#fail(false);
        },
        incoming: this.#incoming,
      });
      if (attempt !== this.#attempt) return session.end();
      this.#session = session;
      // The host may be a new process, whose keys are others; it sends them when we attach again.
      this.#incoming.addReady(() => this.#dropKeys());
      const digits = await session.digits();
      if (attempt === this.#attempt) this.#deps.onDigits(digits);
    } catch (error) {
      const isVersion = error instanceof SealedFault && error.code === "version";
      if (isVersion && this.#pending === pending) this.#fail(true);
    }
    return undefined;
  }

  /** Schedules a new handshake, delayed because a pending hello may still be answered. */
  #onAgain(): void {
    if (this.#pending === undefined && this.#session === undefined) return;
    if (this.#session !== undefined) {
      this.#session.end();
      this.#session = undefined;
      this.#deps.onHandshake();
    }
    const wait = this.#startedAt + AGAIN_MS - performance.now();
    if (wait <= 0) void this.#start();
    else this.#againTimer ??= setTimeout(() => void this.#start(), wait);
  }

  async #onRecord(kind: RecordKind, data: Bytes): Promise<void> {
    if (kind === RecordKind.output) return this.#onBacklog(data);
    this.#deliver(() => this.#deps.onMessage(toText(data)));
    if (this.#keyed.size === 0) return undefined;
    return await this.#releaseHeld();
  }

  /** Handles output from before the page attached, which the host sealed for this page alone. */
  #onBacklog(data: Bytes): void {
    const frame = decodeFrame(data);
    const output = frame?.type === FrameType.output ? decodeOutput(frame.payload) : undefined;
    if (frame && output) this.#deliver(() => this.#deps.onOutput(frame.stream, output));
  }

  #receiveOutput(channel: number, payload: Bytes): void {
    const output = decodeOutput(payload);
    if (output === undefined) return;
    const body = payload.subarray(payload.length - output.body.length);
    const place = { channel, offset: output.offset, span: output.span };
    const by = this.#openers.get(channel);
    const started = by && { by, output: by.start(place, body) };
    this.#incoming.add(NOTHING, () => this.#open({ place, body, started }));
  }

  async #open(received: ReceivedOutput): Promise<void> {
    const { place, body, started } = received;
    const { channel, offset, span } = place;
    const opener = this.#openers.get(channel);
    if (opener === undefined) return this.#hold(received);
    const output = started?.by === opener ? started.output : opener.start(place, body);
    const opened = await opener.finish(output);
    switch (opened.is) {
      case "opened":
        return this.#deliver(() =>
          this.#deps.onOutput(channel, { offset, span, body: opened.body }),
        );
      case "unknown key":
        return this.#hold(received);
      case "gap":
        return this.#deps.onGap(channel);
      case "refused":
        return undefined;
      default:
        return opened satisfies never;
    }
  }

  /** Holds output until its key comes; too much of it is dropped, and its terminals attach again. */
  #hold(received: ReceivedOutput): void {
    this.#held.push(received);
    this.#heldBytes += received.body.length;
    if (this.#heldBytes <= MAX_HELD_BYTES) return;
    const channels = new Set(this.#takeHeld().map(({ place }) => place.channel));
    for (const channel of channels) this.#deps.onGap(channel);
  }

  async #releaseHeld(): Promise<void> {
    const channels = new Set(this.#keyed);
    this.#keyed.clear();
    for (const received of this.#takeHeld()) {
      if (channels.has(received.place.channel)) await this.#open(received);
      else this.#hold(received);
    }
  }

  #takeHeld(): ReceivedOutput[] {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    return held;
  }

  #dropKeys(): void {
    this.#openers.clear();
    this.#takeHeld();
  }

  /** Runs a handler; its fault is reported as uncaught and does not end the session. */
  #deliver(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

const NOTHING = Promise.resolve();

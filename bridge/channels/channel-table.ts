// Owns the channels of this bridge and their numbers in the room: opens one for the first viewer,
// closes it after the last, and restores them when the link is back.

import { randomUUID } from "node:crypto";
import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import { MAX_ROOM_NUMBER } from "../../protocol/limits.ts";
import type { ChannelOpen, ChannelState } from "../../protocol/link.ts";
import { encodeOutputFrame, ACK_REQUESTED, rewriteOutputHeader } from "../../protocol/output.ts";
import { Emitter } from "../emitter.ts";
import type { Log } from "../log.ts";
import type { Reader } from "../terminals/readers.ts";
import type { ChannelSealer } from "../sealed/channel-sealer.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { Channel } from "./channel.ts";
import { ChannelSealing } from "./channel-sealing.ts";
import type { RenditionName, ChannelMessages } from "./rendition.ts";
import { isSealed, isText, createRendition, RENDITIONS } from "./rendition.ts";

/** Sends frames to the room. */
export interface FrameSender {
  send(type: number, stream: number, payload?: Uint8Array, flags?: number): void;
  /** Sends frames as they are. Calls `written` when the bytes are free again, not if lost. */
  sendBytes(frames: Uint8Array, written?: () => void): void;
}

/** The link to a room with viewers. */
export interface LinkSender extends FrameSender {
  /**
   * Resolves when the room has everything sent before, or the link is lost. Required: without it
   * nothing bounds what replays leave in the socket's queue.
   */
  confirmed(): Promise<void>;
}

export interface OpenChannel {
  readonly number: number;
  /** Its key in the room. */
  readonly name: string;
  readonly terminal: PoolTerminal;
  readonly rendition: RenditionName;
  readonly channel: Channel;
  /** Set if its output is sealed. */
  readonly sealing?: ChannelSealing | undefined;
}

export interface TableOptions {
  /**
   * Whether frames of the pty host are passed on unchanged. At most one table may do so, since it
   * writes into them.
   */
  readonly forwardsFrames?: boolean;
  /**
   * Whether the room runs on this machine, with viewers that ack as soon as they have rendered a
   * step.
   */
  readonly isLocal?: boolean;
  /** Makes the key of a channel of a sealed rendition; absent: this room has none. */
  readonly createSealer?: ((channel: number) => ChannelSealer) | undefined;
}

/** The part of the pool that channels use. */
export interface ChannelPool {
  get(id: string): PoolTerminal | undefined;
  read(terminal: PoolTerminal, reader: Reader, from: number, credit: number): void;
  credit(terminal: PoolTerminal, reader: Reader, offset: number): void;
  /** Stops reading; retains everything from `from` on. */
  park(terminal: PoolTerminal, reader: Reader, from: number): void;
  unread(terminal: PoolTerminal, reader: Reader): void;
  announceClosed(terminal: PoolTerminal): void;
}

/** Returns the messages of a terminal's channel, for renditions of text. */
export type GetChannelMessages = (
  terminal: PoolTerminal,
  rendition: RenditionName,
) => ChannelMessages;

/** What a channel carries. */
interface ChannelSubject {
  readonly terminal: PoolTerminal;
  readonly rendition: RenditionName;
}

/** Returns a channel's key: terminal, epoch, rendition. That of a plain one outlives this process. */
function toChannelKey({ terminal, rendition }: ChannelSubject): string {
  return `${terminal.id}:${terminal.epoch}:${rendition}`;
}

/** How long after a keystroke a person counts as typing. */
const TYPING_MS = 2_000;

export class ChannelTable {
  readonly #pool: ChannelPool;
  readonly #link: FrameSender;
  readonly #getMessages: GetChannelMessages;
  readonly #log: Log;
  readonly #forwards: boolean;
  readonly #isLocal: boolean;
  readonly #createSealer: TableOptions["createSealer"];
  readonly #byKey = new Map<string, OpenChannel>();
  readonly #byNumber = new Map<number, OpenChannel>();
  #lastNumber = 0;
  /** The terminal that was typed into last, and when. */
  #typed: { readonly into: PoolTerminal; readonly at: number } | undefined;
  readonly #broken = new Emitter<[PoolTerminal, RenditionName, boolean]>();
  readonly #finished = new Emitter<[OpenChannel]>();
  readonly #rekeyed = new Emitter<[OpenChannel]>();

  constructor(
    pool: ChannelPool,
    link: FrameSender,
    getMessages: GetChannelMessages,
    log: Log,
    { forwardsFrames = false, isLocal = false, createSealer }: TableOptions = {},
  ) {
    this.#forwards = forwardsFrames;
    this.#isLocal = isLocal;
    this.#createSealer = createSealer;
    this.#pool = pool;
    this.#link = link;
    this.#getMessages = getMessages;
    this.#log = log;
  }

  /**
   * Fires when viewers of this terminal and rendition lost their position. `isKept`: the output
   * they lack may still be retained. Returns the unsubscribe function.
   */
  onBroken(
    listener: (terminal: PoolTerminal, rendition: RenditionName, isKept: boolean) => void,
  ): () => void {
    return this.#broken.add(listener);
  }

  /** Fires when a channel has sent the exit and is closed. Returns the unsubscribe function. */
  onFinished(listener: (open: OpenChannel) => void): () => void {
    return this.#finished.add(listener);
  }

  /**
   * Fires when a sealed channel has a new key, before its next output; viewers that may still see it
   * need the key. Returns the unsubscribe function.
   */
  onRekeyed(listener: (open: OpenChannel) => void): () => void {
    return this.#rekeyed.add(listener);
  }

  /** Changes the keys of a terminal's sealed channels: somebody may no longer see it. */
  rekey(terminal: PoolTerminal): void {
    for (const open of this.listForTerminal(terminal)) this.#rekey(open);
  }

  /** Changes every key that a caller with this grant got, present or not. */
  rekeyFor(grantId: string): void {
    for (const open of this.list())
      if (open.sealing?.hasHolder(grantId) === true) this.#rekey(open);
  }

  #rekey(open: OpenChannel): void {
    if (open.sealing === undefined) return;
    open.sealing.rekey();
    this.#rekeyed.fire(open);
  }

  find(terminal: PoolTerminal, rendition: RenditionName): OpenChannel | undefined {
    return this.#byKey.get(toChannelKey({ terminal, rendition }));
  }

  /** Returns the terminal's channels in all renditions that have viewers. */
  listForTerminal(terminal: PoolTerminal): OpenChannel[] {
    return RENDITIONS.flatMap((rendition) => this.find(terminal, rendition) ?? []);
  }

  byNumber(number: number): OpenChannel | undefined {
    return this.#byNumber.get(number);
  }

  /** Records a keystroke: other channels then leave room for its echo. */
  recordTyping(into: PoolTerminal): void {
    this.#typed = { into, at: performance.now() };
  }

  list(): OpenChannel[] {
    return [...this.#byNumber.values()];
  }

  /** Returns what a channel in the room carries, if that terminal is still here. */
  findSubject(key: string): ChannelSubject | undefined {
    const sealed = this.list().find((open) => open.sealing !== undefined && open.name === key);
    if (sealed !== undefined) return sealed;
    const terminal = this.#pool.get(key.split(":")[0] ?? "");
    if (terminal === undefined) return undefined;
    return RENDITIONS.filter((rendition) => !isSealed(rendition))
      .map((rendition) => ({ terminal, rendition }))
      .find((subject) => toChannelKey(subject) === key);
  }

  /** Returns a number for output outside a channel: the end of a finished terminal. */
  nextNumber(): number {
    return ++this.#lastNumber;
  }

  hasUnconfirmed(): boolean {
    return [...this.#byNumber.values()].some(({ channel }) => channel.unconfirmed > 0);
  }

  /** Opens a channel. `at` must be at a character's start for renditions of text. */
  open(terminal: PoolTerminal, rendition: RenditionName, at: number): OpenChannel {
    const subject = { terminal, rendition };
    const open = this.#add(++this.#lastNumber, subject, at);
    // Members of a sealed channel get its frames as they are.
    const text = isText(rendition) && open.sealing === undefined;
    const payload: ChannelOpen = { key: open.name, text };
    this.#link.send(FrameType.channelOpen, open.number, toPayload(payload));
    open.channel.resume(at);
    return open;
  }

  close(open: OpenChannel): void {
    this.#drop(open);
    open.channel.close();
    this.#link.send(FrameType.channelClose, open.number);
    if (open.terminal.life.state === "finished") this.#pool.announceClosed(open.terminal);
  }

  suspendAll(): void {
    for (const { channel } of this.#byNumber.values()) channel.suspend();
  }

  /**
   * Matches the channels with `states`, those that the room still has after a reconnect. Channels
   * that the room lacks have no viewers and are closed; those with an unknown position are broken.
   * The room names channels, but only those that `isWatched` returns true for carry anything: a
   * room that makes up a channel gets nothing by it.
   */
  reconcile(
    states: ReadonlyMap<number, ChannelState>,
    isWatched: (number: number) => boolean,
  ): void {
    for (const open of this.#byNumber.values()) {
      if (states.has(open.number)) continue;
      this.#drop(open);
      open.channel.close();
      if (open.terminal.life.state === "finished") this.#pool.announceClosed(open.terminal);
    }
    for (const [number, state] of states) {
      if (number <= MAX_ROOM_NUMBER && isWatched(number)) this.#reconcileOne(number, state);
      else this.#closeUnwatched(number);
    }
  }

  #closeUnwatched(number: number): void {
    const known = this.#byNumber.get(number);
    if (known === undefined) this.#link.send(FrameType.channelClose, number);
    else this.close(known);
  }

  #reconcileOne(number: number, { key, received }: ChannelState): void {
    this.#lastNumber = Math.max(this.#lastNumber, number);
    const known = this.#byNumber.get(number);
    const subject = known ?? this.findSubject(key);
    if (subject === undefined) return this.#link.send(FrameType.channelClose, number);
    const { terminal, rendition } = subject;
    // One channel for each terminal and rendition: a second one would outlive its viewers.
    if (known === undefined && this.find(terminal, rendition) !== undefined)
      return this.#link.send(FrameType.channelClose, number);
    // If nothing was unconfirmed when the link was cut, the room has everything.
    const settled = known !== undefined && known.channel.unconfirmed === 0;
    const from = received ?? (settled ? known.channel.sent : undefined);
    if (from === undefined) {
      this.#log.info(`channel ${number} of ${terminal.id}: the room lost its position; restarting`);
      if (known !== undefined) this.close(known);
      else this.#link.send(FrameType.channelClose, number);
      return this.#broken.fire(terminal, rendition, true);
    }
    const open = known ?? this.#add(number, subject, from);
    const { life } = terminal;
    open.channel.resume(from);
    if (life.state === "finished") open.channel.onExited(life.exit, life.end);
    return undefined;
  }

  #add(number: number, subject: ChannelSubject, at: number): OpenChannel {
    const { terminal, rendition } = subject;
    const sealing = this.#createSealing(number, rendition);
    const source = {
      read: (from: number, credit: number) => this.#pool.read(terminal, channel, from, credit),
      credit: (offset: number) => this.#pool.credit(terminal, channel, offset),
      park: (from: number) => this.#pool.park(terminal, channel, from),
      unread: () => this.#pool.unread(terminal, channel),
    };
    const uplink = {
      isBesideTyping: () => this.#isTypingElsewhere(terminal),
      output: (offset: number, span: number, body: Uint8Array, isMarked = false) => {
        const flags = isMarked ? ACK_REQUESTED : 0;
        if (sealing?.isExhausted === true) this.#rekey(open);
        this.#link.sendBytes(
          sealing?.sealFrame(offset, span, body, flags) ??
            encodeOutputFrame(number, offset, span, body, flags),
        );
      },
      ...(this.#forwards && sealing === undefined
        ? {
            forward: (frame: Uint8Array, isMarked: boolean, written?: () => void) => {
              rewriteOutputHeader(frame, number, isMarked ? ACK_REQUESTED : 0);
              this.#link.sendBytes(frame, written);
            },
          }
        : {}),
    };
    const events = {
      onBroken: (reason: string) => {
        this.#log.info(`channel ${number} of ${terminal.id}: ${reason}`);
        this.close(open);
        this.#broken.fire(terminal, rendition, false);
      },
      onFinished: () => {
        this.close(open);
        this.#finished.fire(open);
      },
    };
    const form = createRendition(rendition, this.#getMessages(terminal, rendition));
    const channel: Channel = new Channel(at, source, uplink, form, events);
    // The room must not learn which terminal a sealed channel carries.
    const name = sealing === undefined ? toChannelKey(subject) : randomUUID();
    const open: OpenChannel = { number, name, terminal, rendition, channel, sealing };
    this.#byKey.set(toChannelKey(subject), open);
    this.#byNumber.set(number, open);
    return open;
  }

  #createSealing(number: number, rendition: RenditionName): ChannelSealing | undefined {
    if (!isSealed(rendition)) return undefined;
    if (this.#createSealer === undefined) throw new Error("this room has no sealed channels");
    return new ChannelSealing(this.#createSealer(number));
  }

  #isTypingElsewhere(terminal: PoolTerminal): boolean {
    const typed = this.#typed;
    if (!this.#isLocal || typed === undefined || typed.into === terminal) return false;
    return performance.now() - typed.at < TYPING_MS;
  }

  #drop(open: OpenChannel): void {
    this.#byKey.delete(toChannelKey(open));
    this.#byNumber.delete(open.number);
  }
}

// Owns the channels of this bridge and their numbers in the room: opening the first time somebody
// attaches, closing with the last, and finding them again after the link was cut.

import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import type { ChannelOpen, ChannelState } from "../../protocol/link.ts";
import { encodeOutputFrame, MARK_ME, readdress } from "../../protocol/output.ts";
import { Listeners } from "../listeners.ts";
import type { Log } from "../log.ts";
import type { Reader } from "../terminals/readers.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { Channel } from "./channel.ts";
import type { RenditionName, Words } from "./rendition.ts";
import { isText, renditionOf, RENDITIONS } from "./rendition.ts";

/** Sends frames to the room. */
export interface FrameSender {
  send(type: number, stream: number, payload?: Uint8Array, flags?: number): void;
  /** `written` is called when the bytes are not needed any more; not where they were lost. */
  sendBytes(frames: Uint8Array, written?: () => void): void;
}

/** The way to a room that viewers come from. */
export interface LinkSender extends FrameSender {
  /**
   * Resolves when the room has everything sent before, or the link is lost. Required: without it
   * nothing bounds what replays leave in the socket's queue.
   */
  confirmed(): Promise<void>;
}

export interface OpenChannel {
  readonly number: number;
  readonly terminal: PoolTerminal;
  readonly rendition: RenditionName;
  readonly channel: Channel;
}

export interface TableOptions {
  /** Frames of the pty host go on as they are: at most one table may, since it writes into them. */
  readonly forwards?: boolean;
  /** So is the room, and its viewers ack as soon as they have rendered a step. */
  readonly isOnThisMachine?: boolean;
}

/** The terminals, as far as channels need them. */
export interface ChannelFeed {
  get(id: string): PoolTerminal | undefined;
  read(terminal: PoolTerminal, reader: Reader, from: number, credit: number): void;
  credit(terminal: PoolTerminal, reader: Reader, offset: number): void;
  /** It takes nothing for now, and what it lacks is kept for it. */
  park(terminal: PoolTerminal, reader: Reader, from: number): void;
  unread(terminal: PoolTerminal, reader: Reader): void;
  announceClosed(terminal: PoolTerminal): void;
}

/** What a channel of a terminal says, in a rendition of text. */
export type ChannelWords = (terminal: PoolTerminal, rendition: RenditionName) => Words;

/** What a channel is of. */
interface Subject {
  readonly terminal: PoolTerminal;
  readonly rendition: RenditionName;
}

/** A channel's name survives this process: terminal, epoch, rendition. */
function keyOf({ terminal, rendition }: Subject): string {
  return `${terminal.id}:${terminal.epoch}:${rendition}`;
}

/** Somebody who typed so lately is still at it. */
const TYPING_MS = 2_000;

export class ChannelTable {
  readonly #pool: ChannelFeed;
  readonly #link: FrameSender;
  readonly #words: ChannelWords;
  readonly #log: Log;
  readonly #forwards: boolean;
  readonly #isOnThisMachine: boolean;
  readonly #byKey = new Map<string, OpenChannel>();
  readonly #byNumber = new Map<number, OpenChannel>();
  #lastNumber = 0;
  /** The terminal that was typed into last, and when. */
  #typed: { readonly into: PoolTerminal; readonly at: number } | undefined;
  readonly #broken = new Listeners<[PoolTerminal, RenditionName, boolean]>();
  readonly #finished = new Listeners<[OpenChannel]>();

  constructor(
    pool: ChannelFeed,
    link: FrameSender,
    words: ChannelWords,
    log: Log,
    { forwards = false, isOnThisMachine = false }: TableOptions = {},
  ) {
    this.#forwards = forwards;
    this.#isOnThisMachine = isOnThisMachine;
    this.#pool = pool;
    this.#link = link;
    this.#words = words;
    this.#log = log;
  }

  /**
   * Those attached to this terminal in this rendition have lost their place. `isKept`: nobody here
   * knows it, but what follows it may be retained. Returns the end of it.
   */
  onBroken(
    listener: (terminal: PoolTerminal, rendition: RenditionName, isKept: boolean) => void,
  ): () => void {
    return this.#broken.add(listener);
  }

  /** A channel has carried its terminal's exit and is gone. Returns the end of it. */
  onFinished(listener: (open: OpenChannel) => void): () => void {
    return this.#finished.add(listener);
  }

  find(terminal: PoolTerminal, rendition: RenditionName): OpenChannel | undefined {
    return this.#byKey.get(keyOf({ terminal, rendition }));
  }

  /** In every rendition that somebody is attached to. */
  of(terminal: PoolTerminal): OpenChannel[] {
    return RENDITIONS.flatMap((rendition) => this.find(terminal, rendition) ?? []);
  }

  byNumber(number: number): OpenChannel | undefined {
    return this.#byNumber.get(number);
  }

  /** A person's echo comes by these channels too: the others make room for it. */
  typed(into: PoolTerminal): void {
    this.#typed = { into, at: performance.now() };
  }

  all(): OpenChannel[] {
    return [...this.#byNumber.values()];
  }

  /** What a channel in the room is of, if that is still here. */
  subjectOf(key: string): Subject | undefined {
    const terminal = this.#pool.get(key.split(":")[0] ?? "");
    if (terminal === undefined) return undefined;
    return RENDITIONS.map((rendition) => ({ terminal, rendition })).find(
      (subject) => keyOf(subject) === key,
    );
  }

  /** For output that no channel carries: the end of a terminal that has finished. */
  spareNumber(): number {
    return ++this.#lastNumber;
  }

  underWay(): boolean {
    return [...this.#byNumber.values()].some(({ channel }) => channel.underWay > 0);
  }

  /** Begins a channel; one of text at an offset that a character starts at. */
  open(terminal: PoolTerminal, rendition: RenditionName, at: number): OpenChannel {
    const subject = { terminal, rendition };
    const open = this.#add(++this.#lastNumber, subject, at);
    const payload: ChannelOpen = { key: keyOf(subject), text: isText(rendition) };
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
   * The link is up again and `states` is what the room still has. Channels it does not have are
   * over, since nobody can be attached to them; channels whose place is unknown are broken.
   */
  reconcile(states: ReadonlyMap<number, ChannelState>): void {
    for (const open of this.#byNumber.values()) {
      if (states.has(open.number)) continue;
      this.#drop(open);
      open.channel.close();
      if (open.terminal.life.state === "finished") this.#pool.announceClosed(open.terminal);
    }
    for (const [number, state] of states) {
      this.#lastNumber = Math.max(this.#lastNumber, number);
      this.#reconcileOne(number, state);
    }
  }

  #reconcileOne(number: number, { key, received }: ChannelState): void {
    const known = this.#byNumber.get(number);
    const subject = known ?? this.subjectOf(key);
    if (subject === undefined) return this.#link.send(FrameType.channelClose, number);
    const { terminal, rendition } = subject;
    // With nothing under way when the link was cut, the room must have had everything.
    const settled = known !== undefined && known.channel.underWay === 0;
    const from = received ?? (settled ? known.channel.sent : undefined);
    if (from === undefined) {
      this.#log.info(`channel ${number} of ${terminal.id}: the room lost its place; starting anew`);
      if (known !== undefined) this.close(known);
      else this.#link.send(FrameType.channelClose, number);
      return this.#broken.tell(terminal, rendition, true);
    }
    const open = known ?? this.#add(number, subject, from);
    const { life } = terminal;
    open.channel.resume(from);
    if (life.state === "finished") open.channel.exited(life.exit, life.end);
    return undefined;
  }

  #add(number: number, subject: Subject, at: number): OpenChannel {
    const { terminal, rendition } = subject;
    const feed = {
      read: (from: number, credit: number) => this.#pool.read(terminal, channel, from, credit),
      credit: (offset: number) => this.#pool.credit(terminal, channel, offset),
      park: (from: number) => this.#pool.park(terminal, channel, from),
      unread: () => this.#pool.unread(terminal, channel),
    };
    const uplink = {
      isBesideTyping: () => this.#isBesideTyping(terminal),
      output: (offset: number, span: number, body: Uint8Array, isMarked = false) =>
        this.#link.sendBytes(encodeOutputFrame(number, offset, span, body, isMarked ? MARK_ME : 0)),
      ...(this.#forwards
        ? {
            forward: (frame: Uint8Array, isMarked: boolean, written?: () => void) => {
              readdress(frame, number, isMarked ? MARK_ME : 0);
              this.#link.sendBytes(frame, written);
            },
          }
        : {}),
    };
    const events = {
      broken: (reason: string) => {
        this.#log.info(`channel ${number} of ${terminal.id}: ${reason}`);
        this.close(open);
        this.#broken.tell(terminal, rendition, false);
      },
      finished: () => {
        this.close(open);
        this.#finished.tell(open);
      },
    };
    const form = renditionOf(rendition, this.#words(terminal, rendition));
    const channel: Channel = new Channel(at, feed, uplink, form, events);
    const open: OpenChannel = { number, terminal, rendition, channel };
    this.#byKey.set(keyOf(subject), open);
    this.#byNumber.set(number, open);
    return open;
  }

  #isBesideTyping(terminal: PoolTerminal): boolean {
    const typed = this.#typed;
    if (!this.#isOnThisMachine || typed === undefined || typed.into === terminal) return false;
    return performance.now() - typed.at < TYPING_MS;
  }

  #drop(open: OpenChannel): void {
    this.#byKey.delete(keyOf(open));
    this.#byNumber.delete(open.number);
  }
}

// Owns the channels of this bridge and their numbers in the room: opening the first time somebody
// attaches, closing with the last, and finding them again after the link was cut.

import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import type { ChannelOpen, ChannelState } from "../../protocol/link.ts";
import { encodeOutputFrame } from "../../protocol/output.ts";
import type { Log } from "../log.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Words } from "./channel.ts";
import { Channel } from "./channel.ts";

export interface LinkSender {
  send(type: number, stream: number, payload?: Uint8Array): void;
  sendBytes(frames: Uint8Array): void;
}

export interface OpenChannel {
  readonly number: number;
  readonly terminal: PoolTerminal;
  readonly channel: Channel;
}

/** A channel's name survives this process: terminal, epoch, rendition. */
function keyOf(terminal: PoolTerminal): string {
  return `${terminal.id}:${terminal.epoch}:json`;
}

export class ChannelTable {
  readonly #pool: TerminalPool;
  readonly #link: LinkSender;
  readonly #words: (terminal: PoolTerminal) => Words;
  readonly #log: Log;
  readonly #byTerminal = new Map<string, OpenChannel>();
  readonly #byNumber = new Map<number, OpenChannel>();
  #lastNumber = 0;
  /** Those attached to this terminal have lost their place and need a new start. */
  onBroken: (terminal: PoolTerminal) => void = () => {};
  /** A channel has carried its terminal's exit and is gone. */
  onFinished: (open: OpenChannel) => void = () => {};

  constructor(
    pool: TerminalPool,
    link: LinkSender,
    words: (terminal: PoolTerminal) => Words,
    log: Log,
  ) {
    this.#pool = pool;
    this.#link = link;
    this.#words = words;
    this.#log = log;
  }

  find(terminalId: string): OpenChannel | undefined {
    return this.#byTerminal.get(terminalId);
  }

  byNumber(number: number): OpenChannel | undefined {
    return this.#byNumber.get(number);
  }

  all(): OpenChannel[] {
    return [...this.#byNumber.values()];
  }

  /** The terminal that a channel in the room is of, if it is still here. */
  terminalOf(key: string): PoolTerminal | undefined {
    const terminal = this.#pool.get(key.split(":")[0] ?? "");
    return terminal !== undefined && keyOf(terminal) === key ? terminal : undefined;
  }

  underWay(): boolean {
    return [...this.#byNumber.values()].some(({ channel }) => channel.underWay > 0);
  }

  /** Begins a channel at an offset that a character starts at. */
  open(terminal: PoolTerminal, at: number): OpenChannel {
    const open = this.#add(++this.#lastNumber, terminal, at);
    const payload: ChannelOpen = { key: keyOf(terminal), text: true };
    this.#link.send(FrameType.channelOpen, open.number, toPayload(payload));
    open.channel.resume(at);
    return open;
  }

  close(open: OpenChannel): void {
    this.#drop(open);
    open.channel.close();
    this.#link.send(FrameType.channelClose, open.number);
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
    const terminal = known?.terminal ?? this.terminalOf(key);
    if (terminal === undefined) return this.#link.send(FrameType.channelClose, number);
    // With nothing under way when the link was cut, the room must have had everything.
    const settled = known !== undefined && known.channel.underWay === 0;
    const from = received ?? (settled ? known.channel.sent : undefined);
    if (from === undefined) {
      this.#log.info(`channel ${number} of ${terminal.id}: the room lost its place; starting anew`);
      if (known !== undefined) this.close(known);
      else this.#link.send(FrameType.channelClose, number);
      return this.onBroken(terminal);
    }
    const open = known ?? this.#add(number, terminal, from);
    const { life } = terminal;
    open.channel.resume(from);
    if (life.state === "finished") open.channel.exited(life.exit, life.end);
    return undefined;
  }

  #add(number: number, terminal: PoolTerminal, at: number): OpenChannel {
    const feed = {
      read: (reader: Channel, from: number, credit: number) =>
        this.#pool.read(terminal, reader, from, credit),
      credit: (offset: number) => this.#pool.credit(terminal, offset),
      unread: () => this.#pool.unread(terminal),
    };
    const uplink = {
      output: (offset: number, span: number, body: Uint8Array) =>
        this.#link.sendBytes(encodeOutputFrame(number, offset, span, body)),
    };
    const events = {
      broken: (reason: string) => {
        this.#log.info(`channel ${number} of ${terminal.id}: ${reason}`);
        this.close(open);
        this.onBroken(terminal);
      },
      finished: () => {
        this.close(open);
        this.onFinished(open);
        this.#pool.announceClosed(terminal);
      },
    };
    const channel = new Channel(at, feed, uplink, this.#words(terminal), events);
    const open: OpenChannel = { number, terminal, channel };
    this.#byTerminal.set(terminal.id, open);
    this.#byNumber.set(number, open);
    return open;
  }

  #drop(open: OpenChannel): void {
    this.#byTerminal.delete(open.terminal.id);
    this.#byNumber.delete(open.number);
  }
}

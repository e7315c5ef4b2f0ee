// Owns one channel: a terminal's output on its way to the room, in one rendition, for all attached
// viewers. Buffers only an incomplete character: unsent bytes stay in the pty host, which sends
// within the credit that the room's marks allow.

import type { Gap } from "../../protocol/host.ts";
import {
  ACK_BYTES,
  DRIVER_WINDOW,
  MIN_DRIVER_WINDOW,
  UPLINK_WINDOW,
} from "../../protocol/limits.ts";
import type { Lease, Output } from "../../protocol/output.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { Reader } from "../terminals/readers.ts";
import type { Rendition } from "./rendition.ts";
import { SendWindow } from "./send-window.ts";

/** The terminal's side: the source of the bytes. */
export interface TerminalSource {
  read(from: number, credit: number): void;
  credit(offset: number): void;
  /** Stops reading; retains everything from `from` on. */
  park(from: number): void;
  unread(): void;
}

/** The room's side. */
export interface Uplink {
  /** Sends a piece of output. `isMarked`: the room confirms its arrival. */
  output(offset: number, span: number, body: Uint8Array, isMarked?: boolean): void;
  /**
   * Whether a person is typing into another terminal, so that its echo waits behind this output.
   */
  isBesideTyping?(): boolean;
  /** Sends a frame from the pty host as it is. Calls `written` when its memory is free again. */
  forward?(frame: Uint8Array, isMarked: boolean, written?: () => void): void;
}

export interface ChannelEvents {
  /** Fires when bytes were lost: viewers need a new start, and the channel is closed. */
  onBroken(reason: string): void;
  /** Fires when the exit was sent after the last byte. */
  onFinished(): void;
}

const NO_BYTES = Buffer.alloc(0);

/** Window towards the room; adapts, so that a slow uplink has no hidden queue. */
const UPLINK = { minBytes: MIN_DRIVER_WINDOW, maxBytes: UPLINK_WINDOW, start: UPLINK_WINDOW };

/**
 * Share of the window after which a mark is requested: early enough, and not too often, since each
 * costs two messages.
 */
const MARK_SHARE = 1 / 3;

/**
 * Window towards the driver: `^C` stays quick on a slow line, and bulk output fast on a long one.
 * Starts above one ack step, because a viewer that acks only by bytes would not answer less.
 */
const DRIVER = {
  minBytes: MIN_DRIVER_WINDOW,
  maxBytes: DRIVER_WINDOW,
  start: ACK_BYTES + MIN_DRIVER_WINDOW,
};

/**
 * Window for near receivers while a person types into another terminal: it keeps the queues up to
 * the screen short. Less than a viewer's ack step would wait for its timer.
 */
const NEAR_TYPING_WINDOW = ACK_BYTES;

export class Channel implements Reader {
  readonly #source: TerminalSource;
  readonly #uplink: Uplink;
  readonly #rendition: Rendition;
  readonly #events: ChannelEvents;
  #sent: number;
  #confirmed: number;
  /** Offset up to which the host may send. */
  #granted = 0;
  /** Offset up to which a mark was requested. */
  #markRequested: number;
  #uplinkWindow = new SendWindow(UPLINK);
  /** What the driver has rendered, and its window; undefined while none paces the program. */
  #driver: { rendered: number; readonly window: SendWindow } | undefined;
  #tail: Uint8Array = NO_BYTES;
  #exit: { exit: Exit; end: number } | undefined;
  #state: "live" | "down" | "over" = "down";

  constructor(
    at: number,
    source: TerminalSource,
    uplink: Uplink,
    rendition: Rendition,
    events: ChannelEvents,
  ) {
    this.#sent = at;
    this.#confirmed = at;
    this.#markRequested = at;
    this.#source = source;
    this.#uplink = uplink;
    this.#rendition = rendition;
    this.#events = events;
  }

  /** Returns the offset up to which everything is at the room or on its way. */
  get sent(): number {
    return this.#sent;
  }

  /** Returns the bytes sent and not yet confirmed. */
  get unconfirmed(): number {
    return this.#sent - this.#confirmed;
  }

  /** Restarts the stream after the link came up: the room has everything before `from`. */
  resume(from: number): void {
    if (this.#state === "over") return;
    this.#state = "live";
    this.#sent = from;
    this.#confirmed = from;
    this.#markRequested = from;
    this.#driver = undefined;
    this.#uplinkWindow = new SendWindow(UPLINK);
    this.#tail = NO_BYTES;
    this.#granted = this.#limit();
    this.#source.read(from, this.#granted);
    this.#finishWhenDrained();
  }

  /** Stops while the link is down; the pty host retains what the room may lack. */
  suspend(): void {
    if (this.#state !== "live") return;
    this.#state = "down";
    this.#source.park(this.#confirmed);
  }

  close(): void {
    if (this.#state !== "over") this.#source.unread();
    this.#state = "over";
  }

  /** Handles the room's mark. */
  onReceived(offset: number): void {
    if (this.#state !== "live" || offset <= this.#confirmed || offset > this.#sent) return;
    this.#uplinkWindow.onAck(offset, this.unconfirmed, performance.now());
    this.#confirmed = offset;
    this.#extend();
  }

  /**
   * Handles the driver's ack: the program may continue one window beyond what was rendered.
   * Undefined: no driver, so only the room's marks count.
   */
  pace(acked: number | undefined): void {
    if (this.#state !== "live") return;
    // A client may claim more than was sent.
    const rendered = acked === undefined ? undefined : Math.min(acked, this.#sent);
    if (rendered === undefined) this.#driver = undefined;
    else if (this.#driver === undefined)
      this.#driver = { rendered, window: new SendWindow(DRIVER) };
    else if (rendered > this.#driver.rendered) {
      const ahead = this.#sent - this.#driver.rendered;
      this.#driver.window.onAck(rendered, ahead, performance.now());
      this.#driver.rendered = rendered;
    } else return;
    this.#extend();
  }

  /** Sends a message to all viewers at this position in the stream. */
  event(text: string): void {
    if (this.#state === "live") this.#uplink.output(this.#sent, 0, Buffer.from(text));
  }

  onOutput({ offset, body, frame, lease }: Output): void {
    if (this.#state !== "live") return;
    // Frames of a replaced read may still arrive: use only the new part.
    const expected = this.#sent + this.#tail.length;
    const known = expected - offset;
    if (known < 0 || known >= body.length) return;
    if (known === 0 && frame !== undefined && this.#rendition.name === "raw") {
      if (this.#forward(frame, body.length, lease)) return;
    }
    const fresh = known === 0 ? body : body.subarray(known);
    const bytes = this.#tail.length === 0 ? fresh : Buffer.concat([this.#tail, fresh]);
    const whole = bytes.length - this.#rendition.tail(bytes);
    this.#push(whole === bytes.length ? bytes : bytes.subarray(0, whole));
    // Copied, so that three bytes do not keep their whole chunk in memory.
    this.#tail = whole === bytes.length ? NO_BYTES : Buffer.from(bytes.subarray(whole));
    this.#finishWhenDrained();
  }

  onGap({ to }: Gap): void {
    if (this.#state !== "live" || to <= this.#sent + this.#tail.length) return;
    this.close();
    this.#events.onBroken(`bytes before ${to} are no longer retained`);
  }

  onExited(exit: Exit, end: number): void {
    this.#exit = { exit, end };
    this.#finishWhenDrained();
  }

  /** Stops waiting for a driver that has been silent for long, if acks are due. */
  stopPacing(): void {
    if (this.#driver !== undefined && this.#driver.rendered < this.#sent) this.pace(undefined);
  }

  /** Extends the host's credit once half is used: earlier, each key's ack would wake the host. */
  #extend(): void {
    const limit = this.#limit();
    const left = this.#granted - this.#sent;
    // Also sent when no output is left: it renews the lease of a waiting program.
    if (left > 0 && left >= (limit - this.#sent) / 2) return;
    this.#granted = Math.max(this.#granted, limit);
    this.#source.credit(limit);
  }

  #limit(): number {
    const uplink = this.#confirmed + this.#getWindowSize(this.#uplinkWindow);
    const driver = this.#driver;
    if (driver === undefined) return uplink;
    return Math.min(uplink, driver.rendered + this.#getWindowSize(driver.window));
  }

  #getWindowSize(window: SendWindow): number {
    if (window.size <= NEAR_TYPING_WINDOW || !window.isNear) return window.size;
    return this.#uplink.isBesideTyping?.() === true ? NEAR_TYPING_WINDOW : window.size;
  }

  /** Passes the frame on unchanged; false if the uplink cannot. */
  #forward(frame: Uint8Array, span: number, lease: Lease | undefined): boolean {
    if (this.#uplink.forward === undefined) return false;
    lease?.keep();
    this.#uplink.forward(frame, this.#isMarkDue(span), lease?.release);
    this.#recordSent(span);
    this.#finishWhenDrained();
    return true;
  }

  #push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const isMarked = this.#isMarkDue(bytes.length);
    for (const { offset, span, body } of this.#rendition.pieces(bytes, this.#sent)) {
      this.#uplink.output(offset, span, body, isMarked);
    }
    this.#recordSent(bytes.length);
  }

  #isMarkDue(span: number): boolean {
    const end = this.#sent + span;
    if (end - this.#markRequested < MARK_SHARE * this.#getWindowSize(this.#uplinkWindow))
      return false;
    this.#markRequested = end;
    return true;
  }

  /** Records bytes as sent. */
  #recordSent(bytes: number): void {
    const from = this.#sent;
    this.#sent += bytes;
    const now = performance.now();
    this.#uplinkWindow.onSent(from, this.#sent, now);
    this.#driver?.window.onSent(from, this.#sent, now);
  }

  #finishWhenDrained(): void {
    if (this.#state !== "live" || this.#exit === undefined) return;
    if (this.#sent + this.#tail.length < this.#exit.end) return;
    // An incomplete character at the end is shown as the replacement character.
    this.#push(this.#tail);
    this.#tail = NO_BYTES;
    this.event(this.#rendition.exit(this.#exit.exit));
    this.close();
    this.#events.onFinished();
  }
}

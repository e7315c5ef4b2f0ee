// Owns one channel: a terminal's bytes on their way to the room, in one rendition, for everybody
// who is attached. Holds no bytes but an unfinished character: what has not been sent stays in the
// pty host, which sends only what the room's marks make room for.

import type { Gap } from "../../protocol/host.ts";
import {
  ACK_BYTES,
  DRIVER_WINDOW,
  DRIVER_WINDOW_LEAST,
  UPLINK_WINDOW,
} from "../../protocol/limits.ts";
import type { Lease, Output } from "../../protocol/output.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { Reader } from "../terminals/readers.ts";
import type { Rendition } from "./rendition.ts";
import { Window } from "./window.ts";

/** The terminal's side: who has the bytes. */
export interface Feed {
  read(from: number, credit: number): void;
  credit(offset: number): void;
  /** Nothing now; later again, from `from` or beyond. */
  park(from: number): void;
  unread(): void;
}

/** The room's side. */
export interface Uplink {
  /** `isMarked`: the room is to say when it has this. */
  output(offset: number, span: number, body: Uint8Array, isMarked?: boolean): void;
  /** Somebody types elsewhere, and what they see comes behind what is sent here. */
  isBesideTyping?(): boolean;
  /**
   * The same of raw bytes, in the frame that they came in from the pty host. `written` is called when
   * the frame's memory is not needed any more.
   */
  forward?(frame: Uint8Array, isMarked: boolean, written?: () => void): void;
}

export interface ChannelEvents {
  /** Bytes were lost: those attached must be given a new start. The channel is of no more use. */
  broken(reason: string): void;
  /** The exit has been sent behind the last byte. */
  finished(): void;
}

const NO_BYTES = Buffer.alloc(0);

/** The room's: a slow way up has no hidden queue either. */
const UPLINK = { least: DRIVER_WINDOW_LEAST, most: UPLINK_WINDOW, start: UPLINK_WINDOW };

/** Of the window: marks must come well before it is used up, and each costs two messages. */
const MARKED_SHARE = 1 / 3;

/**
 * The driver's: `^C` is quick on a slow line, and bulk is not strangled on a long one. It starts
 * with more than a step of acks: one that acks by bytes alone would never answer to less.
 */
const DRIVER = {
  least: DRIVER_WINDOW_LEAST,
  most: DRIVER_WINDOW,
  start: ACK_BYTES + DRIVER_WINDOW_LEAST,
};

/**
 * While somebody types into another terminal, to receivers that are near: each queue between here
 * and the screen is shorter then, and less than a viewer's step of acks would wait for its timer.
 */
const BESIDE_TYPING = ACK_BYTES;

export class Channel implements Reader {
  readonly #feed: Feed;
  readonly #uplink: Uplink;
  readonly #rendition: Rendition;
  readonly #events: ChannelEvents;
  #sent: number;
  #confirmed: number;
  /** Up to where the host may send, as it was last told. */
  #granted = 0;
  /** Up to where the room was asked to confirm. */
  #asked: number;
  #uplinkWindow = new Window(UPLINK);
  /** Of the driver, while there is one that paces: what it has rendered, and its speed. */
  #driver: { rendered: number; readonly window: Window } | undefined;
  #tail: Uint8Array = NO_BYTES;
  #exit: { exit: Exit; end: number } | undefined;
  #state: "live" | "down" | "over" = "down";

  constructor(at: number, feed: Feed, uplink: Uplink, rendition: Rendition, events: ChannelEvents) {
    this.#sent = at;
    this.#confirmed = at;
    this.#asked = at;
    this.#feed = feed;
    this.#uplink = uplink;
    this.#rendition = rendition;
    this.#events = events;
  }

  /** Everything before it is with the room or on its way there. */
  get sent(): number {
    return this.#sent;
  }

  /** Sent, and not yet confirmed. */
  get underWay(): number {
    return this.#sent - this.#confirmed;
  }

  /** The link is up and the room has everything before `from`. */
  resume(from: number): void {
    if (this.#state === "over") return;
    this.#state = "live";
    this.#sent = from;
    this.#confirmed = from;
    this.#asked = from;
    this.#driver = undefined;
    this.#uplinkWindow = new Window(UPLINK);
    this.#tail = NO_BYTES;
    this.#granted = this.#limit();
    this.#feed.read(from, this.#granted);
    this.#finishWhenDrained();
  }

  /** The link is down: the program runs on, and what the room may lack stays with the pty host. */
  suspend(): void {
    if (this.#state !== "live") return;
    this.#state = "down";
    this.#feed.park(this.#confirmed);
  }

  close(): void {
    if (this.#state !== "over") this.#feed.unread();
    this.#state = "over";
  }

  /** The room's mark. */
  received(offset: number): void {
    if (this.#state !== "live" || offset <= this.#confirmed || offset > this.#sent) return;
    this.#uplinkWindow.acked(offset, this.underWay, performance.now());
    this.#confirmed = offset;
    this.#extend();
  }

  /**
   * The driver has rendered everything before this offset, it says: the program may go on to a window behind
   * that. Undefined: nobody paces it, and only the room's marks count.
   */
  pace(told: number | undefined): void {
    if (this.#state !== "live") return;
    // Nobody has rendered what was not sent.
    const rendered = told === undefined ? undefined : Math.min(told, this.#sent);
    if (rendered === undefined) this.#driver = undefined;
    else if (this.#driver === undefined) this.#driver = { rendered, window: new Window(DRIVER) };
    else if (rendered > this.#driver.rendered) {
      const ahead = this.#sent - this.#driver.rendered;
      this.#driver.window.acked(rendered, ahead, performance.now());
      this.#driver.rendered = rendered;
    } else return;
    this.#extend();
  }

  /** A message to everybody attached, at this place in the stream. */
  event(text: string): void {
    if (this.#state === "live") this.#uplink.output(this.#sent, 0, Buffer.from(text));
  }

  output({ offset, body, frame, lease }: Output): void {
    if (this.#state !== "live") return;
    // Frames of a read that this channel has since replaced may still arrive: take what is new.
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
    // Copied: the rest of the chunk it is a view of must not stay in memory for three bytes.
    this.#tail = whole === bytes.length ? NO_BYTES : Buffer.from(bytes.subarray(whole));
    this.#finishWhenDrained();
  }

  gap({ to }: Gap): void {
    if (this.#state !== "live" || to <= this.#sent + this.#tail.length) return;
    this.close();
    this.#events.broken(`bytes before ${to} are no longer retained`);
  }

  exited(exit: Exit, end: number): void {
    this.#exit = { exit, end };
    this.#finishWhenDrained();
  }

  /** The driver has said nothing for long; if there was something to say, it is not waited for. */
  paceNoMore(): void {
    if (this.#driver !== undefined && this.#driver.rendered < this.#sent) this.pace(undefined);
  }

  /** Not while the host has half of it left: each key's ack would wake it for nothing. */
  #extend(): void {
    const limit = this.#limit();
    const left = this.#granted - this.#sent;
    // With nothing left it is told in any case: that renews the lease of a program that waits.
    if (left > 0 && left >= (limit - this.#sent) / 2) return;
    this.#granted = Math.max(this.#granted, limit);
    this.#feed.credit(limit);
  }

  #limit(): number {
    const uplink = this.#confirmed + this.#sizeOf(this.#uplinkWindow);
    const driver = this.#driver;
    if (driver === undefined) return uplink;
    return Math.min(uplink, driver.rendered + this.#sizeOf(driver.window));
  }

  #sizeOf(window: Window): number {
    if (window.size <= BESIDE_TYPING || !window.isNear) return window.size;
    return this.#uplink.isBesideTyping?.() === true ? BESIDE_TYPING : window.size;
  }

  /** False where the room cannot be sent it as it is. */
  #forward(frame: Uint8Array, span: number, lease: Lease | undefined): boolean {
    if (this.#uplink.forward === undefined) return false;
    lease?.keep();
    this.#uplink.forward(frame, this.#isMarkDue(span), lease?.release);
    this.#count(span);
    this.#finishWhenDrained();
    return true;
  }

  #push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const isMarked = this.#isMarkDue(bytes.length);
    for (const { offset, span, body } of this.#rendition.pieces(bytes, this.#sent)) {
      this.#uplink.output(offset, span, body, isMarked);
    }
    this.#count(bytes.length);
  }

  #isMarkDue(span: number): boolean {
    const end = this.#sent + span;
    if (end - this.#asked < MARKED_SHARE * this.#sizeOf(this.#uplinkWindow)) return false;
    this.#asked = end;
    return true;
  }

  /** So much has been sent. */
  #count(bytes: number): void {
    const from = this.#sent;
    this.#sent += bytes;
    const now = performance.now();
    this.#uplinkWindow.sent(from, this.#sent, now);
    this.#driver?.window.sent(from, this.#sent, now);
  }

  #finishWhenDrained(): void {
    if (this.#state !== "live" || this.#exit === undefined) return;
    if (this.#sent + this.#tail.length < this.#exit.end) return;
    // A character that will never be finished is shown as the replacement character.
    this.#push(this.#tail);
    this.#tail = NO_BYTES;
    this.event(this.#rendition.exit(this.#exit.exit));
    this.close();
    this.#events.finished();
  }
}

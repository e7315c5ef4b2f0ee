// Owns one channel: a terminal's bytes on their way to the room, in one rendition, for everybody
// who is attached. Holds no bytes but an unfinished character: what has not been sent stays in the
// pty host, which sends only what the room's marks make room for.

import type { Gap } from "../../protocol/host.ts";
import { DRIVER_WINDOW, UPLINK_WINDOW } from "../../protocol/limits.ts";
import type { Output } from "../../protocol/output.ts";
import type { Exit } from "../../protocol/terminal.ts";
import { unfinishedTail } from "../../protocol/utf8.ts";
import type { Reader } from "../terminals/pool.ts";
import type { Wording } from "./encoding.ts";
import { encodePieces } from "./encoding.ts";

/** The terminal's side: who has the bytes. */
export interface Feed {
  read(reader: Reader, from: number, credit: number): void;
  credit(offset: number): void;
  unread(): void;
}

/** The room's side. */
export interface Uplink {
  output(offset: number, span: number, body: Uint8Array): void;
}

export interface Words {
  readonly output: Wording;
  exit(exit: Exit): string;
}

export interface ChannelEvents {
  /** Bytes were lost: those attached must be given a new start. The channel is of no more use. */
  broken(reason: string): void;
  /** The exit has been sent behind the last byte. */
  finished(): void;
}

const NO_BYTES = Buffer.alloc(0);

export class Channel implements Reader {
  readonly #feed: Feed;
  readonly #uplink: Uplink;
  readonly #words: Words;
  readonly #events: ChannelEvents;
  #sent: number;
  #confirmed: number;
  /** What the driver has rendered, while it paces the program. */
  #rendered: number | undefined;
  #tail: Uint8Array = NO_BYTES;
  #exit: { exit: Exit; end: number } | undefined;
  #state: "live" | "down" | "over" = "down";

  constructor(at: number, feed: Feed, uplink: Uplink, words: Words, events: ChannelEvents) {
    this.#sent = at;
    this.#confirmed = at;
    this.#feed = feed;
    this.#uplink = uplink;
    this.#words = words;
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
    this.#rendered = undefined;
    this.#tail = NO_BYTES;
    this.#feed.read(this, from, this.#limit());
    this.#finishWhenDrained();
  }

  /** The link is down: the program runs on, and its bytes stay with the pty host. */
  suspend(): void {
    if (this.#state !== "live") return;
    this.#state = "down";
    this.#feed.unread();
  }

  close(): void {
    if (this.#state === "live") this.#feed.unread();
    this.#state = "over";
  }

  /** The room's mark. */
  received(offset: number): void {
    if (this.#state !== "live" || offset <= this.#confirmed || offset > this.#sent) return;
    this.#confirmed = offset;
    this.#feed.credit(this.#limit());
  }

  /**
   * The driver has rendered everything before `rendered`: the program may go on to a window behind
   * that. Undefined: nobody paces it, and only the room's marks count.
   */
  pace(rendered: number | undefined): void {
    if (this.#state !== "live" || rendered === this.#rendered) return;
    this.#rendered = rendered;
    this.#feed.credit(this.#limit());
  }

  /** A message to everybody attached, at this place in the stream. */
  event(text: string): void {
    if (this.#state === "live") this.#uplink.output(this.#sent, 0, Buffer.from(text));
  }

  output({ offset, body }: Output): void {
    if (this.#state !== "live") return;
    // Frames of a read that this channel has since replaced may still arrive: take what is new.
    const expected = this.#sent + this.#tail.length;
    const known = expected - offset;
    if (known < 0 || known >= body.length) return;
    const fresh = known === 0 ? body : body.subarray(known);
    const bytes = this.#tail.length === 0 ? fresh : Buffer.concat([this.#tail, fresh]);
    const whole = bytes.length - unfinishedTail(bytes);
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
    if (this.#rendered !== undefined && this.#rendered < this.#sent) this.pace(undefined);
  }

  #limit(): number {
    const uplink = this.#confirmed + UPLINK_WINDOW;
    return this.#rendered === undefined ? uplink : Math.min(uplink, this.#rendered + DRIVER_WINDOW);
  }

  #push(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    for (const { offset, span, body } of encodePieces(bytes, this.#sent, this.#words.output)) {
      this.#uplink.output(offset, span, body);
    }
    this.#sent += bytes.length;
  }

  #finishWhenDrained(): void {
    if (this.#state !== "live" || this.#exit === undefined) return;
    if (this.#sent + this.#tail.length < this.#exit.end) return;
    // A character that will never be finished is shown as the replacement character.
    this.#push(this.#tail);
    this.#tail = NO_BYTES;
    this.event(this.#words.exit(this.#exit.exit));
    this.close();
    this.#events.finished();
  }
}

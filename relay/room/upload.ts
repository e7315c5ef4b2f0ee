// Owns sending a request's body over the link, within the bridge's credit and the size limit.

import { BodySender } from "../../protocol/http-body.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Link } from "./link.ts";

export interface UploadEvents {
  /** Fires after each piece was sent. */
  readonly onSent: () => void;
  /** Fires at most once; ends the exchange. */
  readonly onFailed: (why: "too_large" | "broke_off") => void;
}

export class Upload {
  readonly #link: Pick<Link, "send">;
  readonly #number: number;
  readonly #maxBytes: number;
  readonly #events: UploadEvents;
  readonly #sender = new BodySender((piece) => this.#send(piece));
  #size = 0;

  constructor(link: Pick<Link, "send">, number: number, maxBytes: number, events: UploadEvents) {
    this.#link = link;
    this.#number = number;
    this.#maxBytes = maxBytes;
    this.#events = events;
  }

  async run(body: ReadableStream<Uint8Array>): Promise<void> {
    try {
      const isWhole = await this.#sender.pump(body.getReader());
      if (isWhole) this.#link.send(FrameType.streamEnd, this.#number);
    } catch {
      this.#events.onFailed("broke_off");
    }
  }

  raiseCredit(limit: number): void {
    this.#sender.raise(limit);
  }

  /** Stops sending; the rest of the body has no reader. */
  stop(): void {
    this.#sender.stop();
  }

  #send(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) {
      this.stop();
      return this.#events.onFailed("too_large");
    }
    this.#link.send(FrameType.streamData, this.#number, piece);
    return this.#events.onSent();
  }
}

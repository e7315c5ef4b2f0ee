// Owns sending a request's body over the link, within the bridge's credit and the size limit.

import { BodySender } from "../../protocol/body-sender.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Link } from "./link.ts";

export interface UploadEvents {
  /** Fires after each piece was sent. */
  readonly moved: () => void;
  /** Fires at most once; ends the exchange. */
  readonly failed: (why: "too_large" | "broke_off") => void;
}

export class Upload {
  readonly #link: Pick<Link, "send">;
  readonly #number: number;
  readonly #most: number;
  readonly #on: UploadEvents;
  readonly #sender = new BodySender((piece) => this.#send(piece));
  #size = 0;

  constructor(link: Pick<Link, "send">, number: number, most: number, on: UploadEvents) {
    this.#link = link;
    this.#number = number;
    this.#most = most;
    this.#on = on;
  }

  async run(body: ReadableStream<Uint8Array>): Promise<void> {
    try {
      const isWhole = await this.#sender.pump(body.getReader());
      if (isWhole) this.#link.send(FrameType.streamEnd, this.#number);
    } catch {
      this.#on.failed("broke_off");
    }
  }

  raise(limit: number): void {
    this.#sender.raise(limit);
  }

  /** Stops sending; the rest of the body has no reader. */
  stop(): void {
    this.#sender.stop();
  }

  #send(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size > this.#most) return this.#on.failed("too_large");
    this.#link.send(FrameType.streamData, this.#number, piece);
    return this.#on.moved();
  }
}

// Owns a request's body on its way up the link: within the bridge's credit, and up to the limit.

import { BodySender } from "../../protocol/body-sender.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { MAX_HTTP_BODY } from "../../protocol/limits.ts";
import type { Link } from "./link.ts";

export class Upload {
  readonly #link: Pick<Link, "send">;
  readonly #number: number;
  readonly #onFailure: (why: "too_large" | "broke_off") => void;
  readonly #sender = new BodySender((piece) => this.#send(piece));
  #size = 0;

  /** `onFailure` is told once at most, and ends the exchange. */
  constructor(
    link: Pick<Link, "send">,
    number: number,
    onFailure: (why: "too_large" | "broke_off") => void,
  ) {
    this.#link = link;
    this.#number = number;
    this.#onFailure = onFailure;
  }

  async run(body: ReadableStream<Uint8Array>): Promise<void> {
    try {
      const isWhole = await this.#sender.pump(body.getReader());
      if (isWhole) this.#link.send(FrameType.streamEnd, this.#number);
    } catch {
      this.#onFailure("broke_off");
    }
  }

  raise(limit: number): void {
    this.#sender.raise(limit);
  }

  /** What is not sent yet, nobody reads. */
  stop(): void {
    this.#sender.stop();
  }

  #send(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size > MAX_HTTP_BODY) this.#onFailure("too_large");
    else this.#link.send(FrameType.streamData, this.#number, piece);
  }
}
